import { encodingOfCharset, encodingOfCodePage } from '../charsets/code-pages.ts';
import type { DocumentMetadata } from '../document.ts';
import { isCodeStyle, isMonospaced } from '../office/fonts.ts';
import type { PageMargins } from '../office/source/page-margins.ts';
import type { CharacterMarks, SourceParagraph } from '../office/source/source-paragraphs.ts';
import { CHARACTERS } from './characters.ts';
import { type Destination, destinationOf, isMargin } from './destinations.ts';
import { InfoReader } from './info.ts';
import { MarginReader } from './margins.ts';
import { PictureReader } from './pictures.ts';
import { readTokens } from './tokens.ts';

/** Groups nested deeper than this are not read. */
const MAX_DEPTH = 500;
const MAX_HEADING_LEVEL = 6;
/** Value of `\outlinelevel` for text that is not a heading. */
const BODY_LEVEL = 9;

const ENDS_OF_PARAGRAPH = new Set(['par', 'cell', 'nestcell', 'row', 'sect', 'page']);

/** Properties that headers and footers have of the text, and no others, which are those of the body. */
const CHARACTER_PROPERTIES = new Set(['plain', 'f', 'v', 'deleted', 'uc', 'ansicpg']);

interface FontEntry {
  name: string;
  encoding?: string;
}

interface StyleEntry {
  name: string;
  headingLevel?: number;
  code?: boolean;
}

interface GroupState {
  destination: Destination;
  /** Whether the group has just been opened or has begun with `\*`. */
  isFirst: boolean;
  isOptional: boolean;
  font: number;
  characterStyle: number;
  position?: 'super' | 'sub';
  hidden: boolean;
  /** Whether the text was deleted in a tracked change. */
  deleted: boolean;
  /** Number of bytes that follow `\u` for readers without Unicode. */
  fallbackBytes: number;
}

/** The parts of an RTF file that anydoc does not read. */
export interface RtfContent {
  /** The paragraphs with heading levels, inline code, superscripts and subscripts. */
  paragraphs: SourceParagraph[];
  /** The alternative text of each picture. */
  descriptions: string[];
  metadata: DocumentMetadata;
  margins: PageMargins;
}

/** Reads an RTF file. Damaged files give what can be read. */
export function readRtf(bytes: Uint8Array): RtfContent {
  const reader = new RtfReader();
  for (const token of readTokens(bytes)) {
    if (token.kind === 'open') reader.open();
    else if (token.kind === 'close') reader.close();
    else if (token.kind === 'byte') reader.byte(token.value);
    else reader.word(token.name, token.parameter);
  }
  return reader.end();
}

class RtfReader {
  readonly #finished: SourceParagraph[] = [];
  readonly #fonts = new Map<number, FontEntry>();
  readonly #styles = new Map<number, StyleEntry>();
  readonly #groups: GroupState[] = [];
  readonly #info = new InfoReader();
  readonly #pictures = new PictureReader();
  readonly #margins = new MarginReader();
  #state: GroupState = {
    destination: 'text',
    isFirst: false,
    isOptional: false,
    font: -1,
    characterStyle: -1,
    hidden: false,
    deleted: false,
    fallbackBytes: 1,
  };
  #depth = 0;
  #encoding = 'windows-1252';
  #bytes: number[] = [];
  #toSkip = 0;
  #runs: SourceParagraph['runs'] = [];
  #paragraphStyle = 0;
  #outlineLevel: number | undefined;
  #layout = { indent: 0, firstLine: 0 };
  #blankLines = 0;
  #entry: FontEntry | StyleEntry | undefined;

  open(): void {
    this.#flush();
    if (++this.#depth > MAX_DEPTH) return;
    this.#groups.push({ ...this.#state });
    this.#state.isFirst = true;
    this.#state.isOptional = false;
  }

  close(): void {
    this.#flush();
    if (this.#depth > 0 && this.#depth-- > MAX_DEPTH) return;
    const { destination } = this.#state;
    this.#state = this.#groups.pop() ?? this.#state;
    if (isMargin(destination) && !isMargin(this.#state.destination)) this.#margins.endParagraph(destination);
    if (destination === 'info') this.#info.close();
    if (destination === 'picture' && this.#state.destination !== 'picture') this.#pictures.close();
  }

  byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip--;
    else this.#bytes.push(value);
  }

  end(): RtfContent {
    this.#endParagraph();
    const { descriptions } = this.#pictures;
    const { html: margins } = this.#margins;
    return { paragraphs: this.#finished, descriptions, metadata: this.#info.metadata, margins };
  }

  word(name: string, parameter: number | undefined): void {
    this.#toSkip = 0;
    const state = this.#state;
    if (name === 'u') {
      this.#write(String.fromCharCode((parameter ?? 0) & 0xffff));
      this.#toSkip = state.fallbackBytes;
      return;
    }
    this.#flush();
    if (name === '*') {
      state.isOptional = true;
      return;
    }
    if (state.isFirst) state.destination = destinationOf(name, state);
    state.isFirst = false;
    if (CHARACTERS[name] !== undefined) this.#write(CHARACTERS[name]);
    else if (state.destination === 'fonts') this.#fontProperty(name, parameter);
    else if (state.destination === 'styles') this.#styleProperty(name, parameter);
    else if (state.destination === 'info') this.#info.word(name, parameter);
    else if (isMargin(state.destination) && ENDS_OF_PARAGRAPH.has(name))
      this.#margins.endParagraph(state.destination);
    else if (state.destination === 'text' || isMargin(state.destination))
      this.#textProperty(name, parameter, state);
  }

  #fontProperty(name: string, parameter = 0): void {
    if (name === 'f') {
      this.#entry = { name: '' };
      this.#fonts.set(parameter, this.#entry);
    }
    const encoding = name === 'fcharset' ? encodingOfCharset(parameter) : undefined;
    if (encoding && this.#entry) (this.#entry as FontEntry).encoding = encoding;
  }

  #styleProperty(name: string, parameter = 0): void {
    if (name === 's' || name === 'cs') {
      this.#entry = { name: '' };
      this.#styles.set(parameter, this.#entry);
    }
    const entry = this.#entry as StyleEntry | undefined;
    if (!entry) return;
    if (name === 'outlinelevel' && parameter < BODY_LEVEL) entry.headingLevel = parameter + 1;
    if (name === 'f' && isMonospaced(this.#fonts.get(parameter)?.name ?? '')) entry.code = true;
  }

  #textProperty(name: string, parameter: number | undefined, state: GroupState): void {
    if (isMargin(state.destination) && !CHARACTER_PROPERTIES.has(name)) return;
    if (ENDS_OF_PARAGRAPH.has(name)) this.#endParagraph();
    else if (name === 'pard') {
      this.#paragraphStyle = 0;
      this.#outlineLevel = undefined;
      this.#layout = { indent: 0, firstLine: 0 };
    } else if (name === 'li') this.#layout = { ...this.#layout, indent: parameter ?? 0 };
    else if (name === 'fi') this.#layout = { ...this.#layout, firstLine: parameter ?? 0 };
    else if (name === 'plain') {
      state.characterStyle = -1;
      state.font = -1;
      state.hidden = false;
      state.deleted = false;
      delete state.position;
    } else if (name === 's') this.#paragraphStyle = parameter ?? 0;
    else if (name === 'outlinelevel') this.#outlineLevel = parameter;
    else if (name === 'cs') state.characterStyle = parameter ?? -1;
    else if (name === 'f') state.font = parameter ?? -1;
    else if (name === 'super' || name === 'sub') {
      if (parameter === 0) delete state.position;
      else state.position = name;
    } else if (name === 'nosupersub') delete state.position;
    else if (name === 'v') state.hidden = parameter !== 0;
    else if (name === 'deleted') state.deleted = parameter !== 0;
    else if (name === 'uc') state.fallbackBytes = parameter ?? 1;
    else if (name === 'ansicpg') this.#encoding = encodingOfCodePage(parameter ?? 1252);
  }

  /** Decodes the bytes since the last token that was not text; a character can have several. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const encoding = this.#fonts.get(this.#state.font)?.encoding ?? this.#encoding;
    const text = new TextDecoder(encoding).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#bytes.length > 0) this.#flush();
    this.#state.isFirst = false;
    const { destination, hidden, deleted } = this.#state;
    const isHidden = hidden || deleted;
    if (destination === 'text')
      this.#runs.push({ text, ...this.#marks(), ...(isHidden && { hidden: true }) });
    else if (isMargin(destination)) this.#margins.text(isHidden ? '' : text);
    else if (destination === 'info') this.#info.text(text);
    else if (destination === 'name' || destination === 'value') this.#pictures.property(destination, text);
    else if ((destination === 'fonts' || destination === 'styles') && this.#entry) this.#entry.name += text;
  }

  #marks(): CharacterMarks {
    const { font, characterStyle, position } = this.#state;
    const style = this.#styles.get(characterStyle);
    const code =
      isMonospaced(this.#fonts.get(font)?.name ?? '') || style?.code || isCodeStyle(style?.name ?? '');
    return { ...(code ? { code } : {}), ...(position ? { position } : {}) };
  }

  #endParagraph(): void {
    this.#flush();
    const style = this.#styles.get(this.#paragraphStyle);
    const outline = this.#outlineLevel === undefined ? undefined : this.#outlineLevel + 1;
    const named = /^(?:heading (\d)|title\b)/i.exec(style?.name.trim() ?? '');
    const level = outline ?? style?.headingLevel ?? (named ? Number(named[1] ?? 1) : undefined);
    const isHeading = level !== undefined && level >= 1 && level <= BODY_LEVEL;
    const isBlank = this.#runs.every(({ text }) => text.trim() === '');
    this.#finished.push({
      runs: this.#runs,
      layout: this.#layout,
      ...(this.#blankLines > 0 && { blankLinesBefore: this.#blankLines }),
      ...(isHeading ? { headingLevel: Math.min(level, MAX_HEADING_LEVEL) } : {}),
    });
    this.#runs = [];
    this.#blankLines = isBlank ? this.#blankLines + 1 : 0;
  }
}
