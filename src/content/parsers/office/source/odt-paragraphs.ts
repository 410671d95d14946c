import { Parser } from 'htmlparser2';
import { readPart } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { isCodeStyle, isMonospaced } from '../fonts.ts';
import type { CharacterMarks, SourceParagraph } from './source-paragraphs.ts';

/** The paragraph style of LibreOffice for horizontal lines. */
const RULE_STYLE = 'Horizontal_20_Line';
/** Elements that stand for characters. */
const CHARACTERS: Record<string, string> = { 'text:line-break': '\n', 'text:tab': '\t' };
/** Limit of the spaces that one element stands for. */
const MAX_SPACES = 40;
/** Rectangles that are lower than this are lines. */
const MAX_LINE_INCHES = 0.1;

/**
 * Reads the paragraphs of an OpenDocument text or presentation with inline code, superscripts and subscripts.
 */
export function readOdtParagraphs(archive: ZipArchive): SourceParagraph[] {
  const content = readPart(archive, 'content.xml');
  const styles: Styles = { marks: new Map(), titles: new Set(['Title']), hiddenPages: new Set() };
  readStyles(readPart(archive, 'styles.xml'), styles);
  readStyles(content, styles);
  return readParagraphs(content, styles);
}

/** The styles that matter, by their names. */
interface Styles {
  /** Marks of the styles of characters. */
  marks: Map<string, CharacterMarks>;
  /** Paragraph styles for the title of the document. */
  titles: Set<string>;
  /** Page styles of hidden slides. */
  hiddenPages: Set<string>;
}

function readStyles(xml: string, { marks: marksByStyle, titles, hiddenPages }: Styles): void {
  let id = '';
  let marks: CharacterMarks = {};
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'style:style') {
          id = attributes['style:name'] ?? '';
          if (titles.has(attributes['style:parent-style-name'] ?? '')) titles.add(id);
          marks = { ...marksByStyle.get(attributes['style:parent-style-name'] ?? '') };
          if (isCodeStyle(attributes['style:display-name'] ?? id.replaceAll('_20_', ' '))) marks.code = true;
          if (attributes['style:family'] === 'text') marksByStyle.set(id, marks);
        } else if (attributes['presentation:visibility'] === 'hidden') hiddenPages.add(id);
        else if (name === 'style:text-properties') {
          const font = attributes['style:font-name'] ?? attributes['fo:font-family'];
          if (font) marks.code = isMonospaced(font);
          if (attributes['text:display']) marks.hidden = attributes['text:display'] === 'none';
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

function readParagraphs(xml: string, { marks, titles, hiddenPages }: Styles): SourceParagraph[] {
  const finished: SourceParagraph[] = [];
  const open: SourceParagraph[] = [];
  const spans: CharacterMarks[] = [];
  let slide = 0;
  let inCitation = false;
  let isHidden = false;
  const write = (text: string) => void open.at(-1)?.runs.push({ text, ...spans.at(-1) });
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const style = attributes['text:style-name'] ?? '';
        if (name === 'text:p' || name === 'text:h')
          open.push({
            runs: [],
            ...(titles.has(style) ? { headingLevel: 1 } : {}),
            ...(style === RULE_STYLE ? { isRule: true } : {}),
            ...(isHidden ? { hiddenSlide: slide } : {}),
          });
        else if (name === 'draw:page') {
          slide++;
          isHidden = hiddenPages.has(attributes['draw:style-name'] ?? '');
        } else if (name === 'text:s')
          write(' '.repeat(Math.min(MAX_SPACES, Number(attributes['text:c'] ?? 1) || 1)));
        else if (CHARACTERS[name]) write(CHARACTERS[name]);
        else if (name === 'text:note-citation') inCitation = true;
        else if (name === 'draw:rect' && isLine(attributes)) finished.push({ runs: [], isRule: true });
        else if (name === 'text:span') {
          const [outer, own] = [spans.at(-1), marks.get(style)];
          // LibreOffice repeats the font of the table inside spans for code.
          spans.push({ ...outer, ...own, ...(outer?.code ? { code: true } : {}) });
        }
      },
      ontext(text) {
        // The number of a note is no text of the paragraph.
        if (!inCitation) write(text);
      },
      onclosetag(name) {
        if (name === 'text:note-citation') inCitation = false;
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

/** Whether a rectangle is a horizontal line across the page, as Word draws it. */
const isLine = (attributes: Record<string, string>) =>
  attributes['style:rel-width'] === '100%' && toInches(attributes['svg:height'] ?? '') < MAX_LINE_INCHES;

/** Number of units of length in an inch. */
const UNITS: Record<string, number> = { in: 1, cm: 2.54, mm: 25.4, pt: 72 };

/** @returns infinity for lengths in other units */
function toInches(length: string): number {
  const [, number, unit = ''] = /^([\d.]+)([a-z]+)$/.exec(length) ?? [];
  return Number(number) / (UNITS[unit] ?? 0) || Number.POSITIVE_INFINITY;
}
