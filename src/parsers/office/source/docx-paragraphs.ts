import { Parser } from 'htmlparser2';
import { readPart } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { isCodeStyle, isMonospaced } from '../fonts.ts';
import type { CharacterMarks, SourceParagraph } from './source-paragraphs.ts';

/** Elements that stand for characters. */
const CHARACTERS: Record<string, string> = { 'w:br': '\n', 'w:cr': '\n', 'w:tab': '\t' };
const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/** Reads the paragraphs of a Word document (ECMA-376) with inline code, superscripts and subscripts. */
export function readDocxParagraphs(archive: ZipArchive): SourceParagraph[] {
  const part = (name: string) => readPart(archive, name);
  const codeStyles = readCodeStyles(part('word/styles.xml'));
  return PARTS.flatMap((name) => readParagraphs(part(name), codeStyles));
}

/** Identifiers of the character styles for code: by their names, by their fonts, or by the style that they extend. */
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

function readParagraphs(xml: string, codeStyles: ReadonlySet<string>): SourceParagraph[] {
  const finished: SourceParagraph[] = [];
  /** Text boxes contain paragraphs within a paragraph. */
  const open: SourceParagraph[] = [];
  let marks: CharacterMarks = {};
  let inText = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const value = attributes['w:val'] ?? '';
        if (name === 'w:p') open.push({ runs: [] });
        else if (name === 'w:r') marks = {};
        else if (name === 'w:t') inText = true;
        else if (CHARACTERS[name]) open.at(-1)?.runs.push({ text: CHARACTERS[name] });
        else if (name === 'v:rect' && attributes['o:hr'] === 't') finished.push({ runs: [], isRule: true });
        else if (name === 'w:rStyle' && codeStyles.has(value)) marks.code = true;
        else if (name === 'w:rFonts' && isMonospaced(attributes['w:ascii'] ?? '')) marks.code = true;
        else if (name === 'w:vertAlign' && value === 'superscript') marks.position = 'super';
        else if (name === 'w:vertAlign' && value === 'subscript') marks.position = 'sub';
      },
      ontext(text) {
        if (inText) open.at(-1)?.runs.push({ text, ...marks });
      },
      onclosetag(name) {
        if (name === 'w:t') inText = false;
        const paragraph = name === 'w:p' ? open.pop() : undefined;
        if (paragraph) finished.push(paragraph);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return finished;
}
