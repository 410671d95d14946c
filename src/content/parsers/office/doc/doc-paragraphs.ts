import type { CharacterMarks, SourceParagraph } from '../source/source-paragraphs.ts';
import { type FormattedRange, readCharacterFormats, readParagraphFormats } from './formatted-pages.ts';
import { type Piece, readPieces } from './pieces.ts';
import { propertyChanges } from './property-changes.ts';
import { FONT, readCodeFonts, readStyleSheet } from './style-sheet.ts';
import { type PlacedParagraph, readTextBoxes, withTextBoxes } from './text-boxes.ts';
import { WordFile } from './word-file.ts';

/**
 * Numbers of the properties of characters that matter (MS-DOC 2.6.1), besides the font. Deletions are tracked
 * changes.
 */
const [STYLE, SCRIPT, HIDDEN, DELETED] = [0x4a30, 0x2a48, 0x083c, 0x0800];
const POSITIONS = [undefined, 'super', 'sub'] as const;

/**
 * Marks of fields: their instruction is between `begin` and `separator`, their result between that and `end`.
 */
const FIELD = { begin: '\u0013', separator: '\u0014', end: '\u0015' };
const ENDS_OF_PARAGRAPH = new Set(['\r', '\u0007', '\f', '\u000e']);
/** Characters that stand for something else: hyphens, line breaks, and objects, which have no text. */
const CHARACTERS: Record<string, string> = { '\u001e': '\u2011', '\u001f': '', '\u000b': '\n' };

/**
 * Reads the paragraphs of a Word 97 to 2003 document with titles, inline code, superscripts, subscripts,
 * hidden text and text boxes.
 * @throws RangeError, or an error of SheetJS, if the file is damaged
 */
export function readDocParagraphs(bytes: Uint8Array): SourceParagraph[] {
  const file = new WordFile(bytes);
  const codeFonts = readCodeFonts(file.structure('fonts'));
  const { titles, codeStyles } = readStyleSheet(file.structure('styleSheet'), codeFonts);
  const characters = new FormatFinder(
    readCharacterFormats(file.text, file.structure('characterPages')),
    (changes) => marksOf(changes, codeFonts, codeStyles),
  );
  const paragraphs = new FormatFinder(
    readParagraphFormats(file.text, file.structure('paragraphPages')),
    (changes) => changes.length >= 2 && titles.has(changes.readUInt16LE(0)),
  );
  const reader = new ParagraphReader(paragraphs);
  for (const piece of readPieces(file.structure('pieces'), file.text.length))
    for (const part of characters.split(piece)) reader.read(part.value ?? {}, part, file.text);
  return withTextBoxes(reader.end(), readTextBoxes(file));
}

function marksOf(
  changes: Buffer,
  codeFonts: ReadonlySet<number>,
  codeStyles: ReadonlySet<number>,
): CharacterMarks {
  const marks: CharacterMarks = {};
  for (const { sprm, value } of propertyChanges(changes)) {
    if (sprm === STYLE && codeStyles.has(value)) marks.code = true;
    else if (sprm === FONT && codeFonts.has(value)) marks.code = true;
    else if ((sprm === HIDDEN || sprm === DELETED) && value === 1) marks.hidden = true;
    const position = sprm === SCRIPT ? POSITIONS[value] : undefined;
    if (position) marks.position = position;
  }
  return marks;
}

/** Finds what ranges of the text are formatted as. Each range is read once. */
class FormatFinder<Value> {
  readonly #ranges: { start: number; end: number; value: Value }[];

  constructor(ranges: readonly FormattedRange[], read: (changes: Buffer) => Value) {
    this.#ranges = ranges
      .map(({ start, end, changes }) => ({ start, end, value: read(changes) }))
      .sort((one, other) => one.start - other.start);
  }

  at(offset: number): Value | undefined {
    const range = this.#ranges[this.#placeOf(offset)];
    return range && offset >= range.start ? range.value : undefined;
  }

  /** Splits a piece where the formatting changes. */
  *split({ start, end, isCompressed }: Piece): Generator<Piece & { value: Value | undefined }> {
    let at = start;
    for (let place = this.#placeOf(start); at < end; place++) {
      const range = this.#ranges[place];
      const stop = Math.min(end, range ? (range.start > at ? range.start : range.end) : end);
      const value = range && range.start <= at ? range.value : undefined;
      if (stop > at) yield { start: at, end: stop, isCompressed, value };
      if (range && range.start > at) place--;
      at = Math.max(at, stop);
    }
  }

  /** The place of the first range that ends behind an offset. */
  #placeOf(offset: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.end ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Collects the runs of each paragraph. */
class ParagraphReader {
  readonly #finished: PlacedParagraph[] = [];
  readonly #isTitle: FormatFinder<boolean>;
  #runs: SourceParagraph['runs'] = [];
  /** For each open field whether its instruction is being read. */
  readonly #fields: boolean[] = [];
  /** Number of open fields whose instructions are being read. */
  #instructions = 0;
  /** The place of the next character, and of the first one of the paragraph. */
  #place = 0;
  #start = 0;

  constructor(isTitle: FormatFinder<boolean>) {
    this.#isTitle = isTitle;
  }

  read(marks: CharacterMarks, { start, end, isCompressed }: Piece, stream: Buffer): void {
    const bytes = stream.subarray(start, end);
    const characters = isCompressed
      ? new TextDecoder('windows-1252').decode(bytes)
      : bytes.toString('utf16le');
    let text = '';
    const flush = () => {
      if (text) this.#runs.push({ text, ...marks });
      text = '';
    };
    for (let place = 0; place < characters.length; place++) {
      const character = characters[place] as string;
      this.#place++;
      if (this.#isField(character)) continue;
      if (ENDS_OF_PARAGRAPH.has(character)) {
        flush();
        this.#endParagraph(start + place * (isCompressed ? 1 : 2));
      } else if (this.#instructions === 0) text += CHARACTERS[character] ?? withoutControls(character);
    }
    flush();
  }

  end(): PlacedParagraph[] {
    this.#endParagraph(-1);
    return this.#finished;
  }

  #isField(character: string): boolean {
    if (character === FIELD.begin) {
      this.#fields.push(true);
      this.#instructions++;
    } else if (character === FIELD.separator || character === FIELD.end) {
      if (this.#fields.pop()) this.#instructions--;
      if (character === FIELD.separator) this.#fields.push(false);
    } else return false;
    return true;
  }

  /** @param offset that of the character that ends the paragraph, which has its formatting */
  #endParagraph(offset: number): void {
    const paragraph = { runs: this.#runs, ...(this.#isTitle.at(offset) ? { headingLevel: 1 } : {}) };
    this.#finished.push({ paragraph, start: this.#start, end: this.#place });
    this.#runs = [];
    this.#start = this.#place;
  }
}

const withoutControls = (character: string) => (character < ' ' && character !== '\t' ? '' : character);
