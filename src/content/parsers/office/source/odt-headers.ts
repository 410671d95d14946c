import { Parser } from 'htmlparser2';
import { oneLine } from '../../../html/text.ts';
import type { ZipArchive } from '../../zip.ts';
import { marginHtml, type PageMargins } from './page-margins.ts';
import { tryReadPart } from './replace-parts.ts';

/** Limits in bytes: of the styles, and of the text that names them. */
const MAX_STYLES_BYTES = 4 * 1024 * 1024;
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** The page style of a text that names none. */
const DEFAULT_STYLE = 'Standard';
const PAGE_STYLE = /\s(?:style:master-page-name|style:next-style-name)="([^"]+)"/g;
/** Headers of all, of left and of first pages (OpenDocument 1.3, part 3, 16.10), and footers likewise. */
const MARGIN = /^style:(header|footer)(?:-left|-first)?$/;
const CHARACTERS = new Set(['text:s', 'text:tab', 'text:line-break']);
/** Fields whose text is different on each page. */
const PAGE_FIELDS = new Set(['text:page-number', 'text:page-count', 'text:page-continuation']);

/** Reads the headers and footers of the page styles that an OpenDocument text uses, each text once. */
export function readOdtMargins(archive: ZipArchive): PageMargins {
  const styles = tryReadPart(archive, 'styles.xml', MAX_STYLES_BYTES)?.toString('utf8') ?? '';
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  if (/<style:(?:header|footer)[\s>-]/.test(styles)) {
    const content = tryReadPart(archive, 'content.xml', MAX_CONTENT_BYTES)?.toString('utf8') ?? '';
    const used = Array.from((content + styles).matchAll(PAGE_STYLE), ([, name = '']) => name);
    collect(styles, new Set([DEFAULT_STYLE, ...used]), texts);
  }
  return { headers: marginHtml('header', texts.header), footers: marginHtml('footer', texts.footer) };
}

function collect(
  styles: string,
  used: ReadonlySet<string>,
  texts: Record<'header' | 'footer', Set<string>>,
): void {
  let isUsed = false;
  let margin: 'header' | 'footer' | undefined;
  let skipped = 0;
  let text = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'style:master-page') isUsed = used.has(attributes['style:name'] ?? '');
        const kind = MARGIN.exec(name)?.[1];
        if (kind && isUsed && attributes['style:display'] !== 'false') margin = kind as 'header' | 'footer';
        if (PAGE_FIELDS.has(name)) skipped++;
        else if (name === 'text:p') text = '';
        else if (CHARACTERS.has(name)) text += ' ';
      },
      ontext(content) {
        if (margin && skipped === 0) text += content;
      },
      onclosetag(name) {
        if (MARGIN.test(name)) margin = undefined;
        if (PAGE_FIELDS.has(name)) skipped--;
        if (name !== 'text:p' || !margin) return;
        const line = oneLine(text);
        if (line) texts[margin].add(line);
        text = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(styles);
}
