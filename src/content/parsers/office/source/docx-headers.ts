import { Parser } from 'htmlparser2';
import { oneLine } from '../../../html/text.ts';
import { readPart, readRelationships } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { marginHtml, type PageMargins } from './page-margins.ts';
import { tryReadPart } from './replace-parts.ts';

const DOCUMENT = 'word/document.xml';
const SETTINGS = 'word/settings.xml';
const MAX_PART_BYTES = 1024 * 1024;
/** Headers and footers of later sections are left out. */
const MAX_PARTS = 50;
const SECTION = /<w:sectPr(?=[\s>])(?:(?!<w:sectPr[\s>])[\s\S])*?<\/w:sectPr>/g;
const REFERENCE = /<w:(header|footer)Reference(?=\s)([^<>]*)\/?>/g;
/** Fields whose result is different on each page. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|PAGEREF)\b/i;

/**
 * Reads the headers and footers of the pages of a Word document, each text once. Those of first and even
 * pages count only where the document uses them.
 */
export function readDocxMargins(archive: ZipArchive): PageMargins {
  const xml = tryReadPart(archive, DOCUMENT, 64 * 1024 * 1024)?.toString('utf8') ?? '';
  if (!/<w:(?:header|footer)Reference\s/.test(xml)) return { headers: '', footers: '' };
  const settings = tryReadPart(archive, SETTINGS, MAX_PART_BYTES)?.toString('utf8') ?? '';
  const hasEvenPages = /<w:evenAndOddHeaders(?!\s+w:val="(?:0|false|off)")/.test(settings);
  const relationships = readRelationships(archive, DOCUMENT);
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  let left = MAX_PARTS;
  for (const [section] of xml.matchAll(SECTION))
    for (const [, kind, attributes = ''] of section.matchAll(REFERENCE)) {
      const type = /\sw:type="(\w+)"/.exec(attributes)?.[1];
      const isUsed =
        type === 'first'
          ? /<w:titlePg(?!\s+w:val="(?:0|false|off)")/.test(section)
          : type !== 'even' || hasEvenPages;
      const target = relationships.get(/\sr:id="([^"]*)"/.exec(attributes)?.[1] ?? '')?.target;
      if (!isUsed || !target || left-- <= 0) continue;
      for (const text of paragraphsOf(readPart(archive, target))) texts[kind as keyof typeof texts].add(text);
    }
  return { headers: marginHtml('header', texts.header), footers: marginHtml('footer', texts.footer) };
}

/** The texts of the paragraphs of a header, footer or comment, without numbers of pages. */
export function paragraphsOf(xml: string): string[] {
  const paragraphs: string[] = [];
  let text = '';
  let inText = false;
  let instruction = '';
  let inInstruction = false;
  /** Whether the current field shows its result, for each open field; `skip` for numbers of pages. */
  const fields: ('code' | 'result' | 'skip')[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'w:p') text = '';
        else if (name === 'w:t') inText = true;
        else if (name === 'w:tab' || name === 'w:ptab' || name === 'w:br') text += ' ';
        else if (name === 'w:instrText') inInstruction = true;
        else if (name === 'w:fldSimple')
          fields.push(PAGE_FIELD.test(attributes['w:instr'] ?? '') ? 'skip' : 'result');
        else if (name === 'w:fldChar') {
          const type = attributes['w:fldCharType'];
          if (type === 'begin') {
            fields.push('code');
            instruction = '';
          } else if (type === 'separate' && fields.length > 0)
            fields[fields.length - 1] = PAGE_FIELD.test(instruction) ? 'skip' : 'result';
          else if (type === 'end') fields.pop();
        }
      },
      ontext(content) {
        if (inInstruction) instruction += content;
        else if (inText && fields.every((field) => field === 'result')) text += content;
      },
      onclosetag(name) {
        if (name === 'w:t') inText = false;
        else if (name === 'w:instrText') inInstruction = false;
        else if (name === 'w:fldSimple') fields.pop();
        else if (name === 'w:p') {
          const line = oneLine(text);
          if (line) paragraphs.push(line);
          text = '';
        }
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return paragraphs;
}
