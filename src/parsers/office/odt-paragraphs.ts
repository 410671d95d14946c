import { Parser } from 'htmlparser2';
import type { ZipArchive } from '../zip.ts';
import { isCodeStyle, isMonospaced } from './fonts.ts';
import type { CharacterMarks, SourceParagraph } from './source-paragraphs.ts';

/** Limit of the expanded size of one XML part, in bytes. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** Reads the paragraphs of an OpenDocument text with inline code, superscripts and subscripts. */
export function readOdtParagraphs(archive: ZipArchive): SourceParagraph[] {
  const part = (name: string) => archive.read(name, MAX_PART_BYTES)?.toString('utf8') ?? '';
  const styles = new Map<string, CharacterMarks>();
  /** Paragraph styles for the title of the document. */
  const titles = new Set(['Title']);
  readStyles(part('styles.xml'), styles, titles);
  const content = part('content.xml');
  readStyles(content, styles, titles);
  return readParagraphs(content, styles, titles);
}

function readStyles(xml: string, styles: Map<string, CharacterMarks>, titles: Set<string>): void {
  let marks: CharacterMarks = {};
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'style:style') {
          const id = attributes['style:name'] ?? '';
          if (titles.has(attributes['style:parent-style-name'] ?? '')) titles.add(id);
          marks = { ...styles.get(attributes['style:parent-style-name'] ?? '') };
          if (isCodeStyle(attributes['style:display-name'] ?? id.replaceAll('_20_', ' '))) marks.code = true;
          if (attributes['style:family'] === 'text') styles.set(id, marks);
        } else if (name === 'style:text-properties') {
          const font = attributes['style:font-name'] ?? attributes['fo:font-family'];
          if (font) marks.code = isMonospaced(font);
          const position = attributes['style:text-position'];
          if (position && /^(?:super|[1-9])/.test(position)) marks.position = 'super';
          if (position && /^(?:sub|-)/.test(position)) marks.position = 'sub';
        }
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

function readParagraphs(
  xml: string,
  styles: ReadonlyMap<string, CharacterMarks>,
  titles: ReadonlySet<string>,
): SourceParagraph[] {
  const finished: SourceParagraph[] = [];
  const open: SourceParagraph[] = [];
  const spans: CharacterMarks[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'text:p' || name === 'text:h')
          open.push({
            runs: [],
            ...(titles.has(attributes['text:style-name'] ?? '') ? { headingLevel: 1 } : {}),
          });
        else if (name === 'text:span') {
          const [outer, own] = [spans.at(-1), styles.get(attributes['text:style-name'] ?? '')];
          // LibreOffice repeats the font of the table inside spans for code.
          spans.push({ ...outer, ...own, ...(outer?.code ? { code: true } : {}) });
        }
      },
      ontext(text) {
        open.at(-1)?.runs.push({ text, ...spans.at(-1) });
      },
      onclosetag(name) {
        if (name === 'text:span') spans.pop();
        const paragraph = name === 'text:p' || name === 'text:h' ? open.pop() : undefined;
        if (paragraph) finished.push(paragraph);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return finished;
}
