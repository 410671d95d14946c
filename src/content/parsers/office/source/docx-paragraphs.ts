import { Parser } from 'htmlparser2';
import { readPart } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { isCodeStyle, isMonospaced } from '../fonts.ts';
import {
  addListProperty,
  type FindListLevel,
  type ListProperties,
  readListLevels,
} from './docx-list-indents.ts';
import type { CharacterMarks, SourceParagraph } from './source-paragraphs.ts';

/** Elements that stand for characters. */
const CHARACTERS: Record<string, string> = { 'w:br': '\n', 'w:cr': '\n', 'w:tab': '\t' };
const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/**
 * Reads the paragraphs of a Word document (ECMA-376) with inline code, superscripts, subscripts, hidden text
 * and the indents of lists.
 */
export function readDocxParagraphs(archive: ZipArchive): SourceParagraph[] {
  const part = (name: string) => readPart(archive, name);
  const styles = part('word/styles.xml');
  const codeStyles = readCodeStyles(styles);
  const listLevel = readListLevels({ styles, numbering: part('word/numbering.xml') });
  return PARTS.flatMap((name) => readParagraphs(part(name), { codeStyles, listLevel }));
}

/**
 * Identifiers of the character styles for code: by their names, by their fonts, or by the style that they
 * extend.
 */
function readCodeStyles(xml: string): Set<string> {
  const codeStyles = new Set<string>();
  let style: string | undefined;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const value = attributes['w:val'] ?? '';
        if (name === 'w:style')
          style = attributes['w:type'] === 'character' ? attributes['w:styleId'] : undefined;
        else if (style === undefined) return;
        else if (name === 'w:name' && isCodeStyle(value)) codeStyles.add(style);
        else if (name === 'w:basedOn' && codeStyles.has(value)) codeStyles.add(style);
        else if (name === 'w:rFonts' && isMonospaced(attributes['w:ascii'] ?? '')) codeStyles.add(style);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return codeStyles;
}

/** Former properties, which tracked changes keep. */
const CHANGE = /^w:[a-z]+PrChange$/;

function readParagraphs(
  xml: string,
  { codeStyles, listLevel }: { codeStyles: ReadonlySet<string>; listLevel: FindListLevel },
): SourceParagraph[] {
  const finished: SourceParagraph[] = [];
  /** Text boxes contain paragraphs within a paragraph. */
  const open: (SourceParagraph & { list: ListProperties })[] = [];
  let marks: CharacterMarks = {};
  let inText = false;
  let inChange = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const value = attributes['w:val'] ?? '';
        inChange ||= CHANGE.test(name);
        if (inChange) return;
        const paragraph = open.at(-1);
        if (paragraph) addListProperty(paragraph.list, name, attributes);
        if (name === 'w:p') open.push({ runs: [], list: {} });
        else if (name === 'w:r') marks = {};
        else if (name === 'w:t') inText = true;
        else if (CHARACTERS[name]) paragraph?.runs.push({ text: CHARACTERS[name] });
        else if (name === 'v:rect' && attributes['o:hr'] === 't') finished.push({ runs: [], isRule: true });
        else if (name === 'w:rStyle' && codeStyles.has(value)) marks.code = true;
        else if (name === 'w:rFonts' && isMonospaced(attributes['w:ascii'] ?? '')) marks.code = true;
        else if (name === 'w:vertAlign' && value === 'superscript') marks.position = 'super';
        else if (name === 'w:vertAlign' && value === 'subscript') marks.position = 'sub';
        else if (name === 'w:vanish' && !/^(?:0|false|off)$/.test(value)) marks.hidden = true;
      },
      ontext(text) {
        if (inText) open.at(-1)?.runs.push({ text, ...marks });
      },
      onclosetag(name) {
        if (name === 'w:t') inText = false;
        if (CHANGE.test(name)) inChange = false;
        const closed = name === 'w:p' ? open.pop() : undefined;
        if (!closed) return;
        const { list, ...paragraph } = closed;
        finished.push({ ...paragraph, ...listLevel(list) });
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return finished;
}
