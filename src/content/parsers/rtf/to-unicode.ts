import { toBuffer } from '../../source-text.ts';
import { decodeBytes, encodingOfCharset, encodingOfCodePage } from '../charsets/code-pages.ts';
import { detectEncoding } from '../charsets/detect-encoding.ts';
import { symbolOf } from '../office/symbols.ts';
import { type RtfToken, readTokens } from './tokens.ts';

/** Groups nested deeper than this keep their bytes. */
const MAX_DEPTH = 500;
/** Encodings of the keywords for whole character sets (RTF 1.9.1, "Character Set"). */
const CHARACTER_SETS: Record<string, string> = { mac: 'macintosh', pc: 'cp437', pca: 'cp850' };
/** Bytes from which the encoding is detected. */
const DETECTED_BYTES = 4096;

/** An RTF file whose text is ASCII and Unicode escapes. */
export interface UnicodeRtf {
  bytes: Uint8Array;
  /** The encoding of its text, if that was a guess. */
  guessedEncoding?: string;
}

/**
 * Writes the text of an RTF file as Unicode escapes (`\u`), decoded by the code pages of its fonts, because
 * anydoc knows few of them. Where neither the file nor a font names one, it is detected.
 */
export function rtfToUnicode(bytes: Uint8Array): UnicodeRtf {
  const file = toBuffer(bytes);
  if (!file.includes("\\'") && !file.some((byte) => byte >= 0x80)) return { bytes };
  const first = new UnicodeWriter(file);
  const written = first.run();
  if (first.undeclared.length === 0) return { bytes: written };
  const { encoding, isCertain } = detectEncoding(Uint8Array.from(first.undeclared));
  return {
    bytes: new UnicodeWriter(file, encoding).run(),
    ...(!isCertain && { guessedEncoding: encoding }),
  };
}

interface Font {
  name: string;
  encoding?: string | undefined;
}

interface Group {
  font: number | undefined;
  /** Number of bytes that follow `\u` for readers without Unicode. */
  fallbackBytes: number;
  isFontTable: boolean;
}

class UnicodeWriter {
  /** Bytes whose encoding neither the file nor their font names. */
  readonly undeclared: number[] = [];
  readonly #file: Buffer;
  readonly #parts: Buffer[] = [];
  readonly #fonts = new Map<number, Font>();
  readonly #groups: Group[] = [];
  #group: Group = { font: undefined, fallbackBytes: 1, isFontTable: false };
  #depth = 0;
  #encoding: string | undefined;
  #defaultFont = 0;
  #font: Font | undefined;
  #toSkip = 0;
  #copiedTo = 0;
  /** The bytes of text since the last token of another kind, and where they begin and end in the file. */
  #run = { bytes: [] as number[], start: 0, end: 0 };
  readonly #detected: string;

  /** @param detected the encoding of text for which nothing names one */
  constructor(file: Buffer, detected = 'windows-1252') {
    this.#file = file;
    this.#detected = detected;
  }

  run(): Buffer {
    for (const token of readTokens(this.#file)) this.#token(token);
    this.#flush();
    return Buffer.concat([...this.#parts, this.#file.subarray(this.#copiedTo)]);
  }

  #token(token: RtfToken): void {
    if (token.kind === 'byte') {
      if (this.#toSkip > 0) this.#toSkip--;
      else this.#add(token.value, token.start, token.end);
      return;
    }
    this.#flush();
    this.#toSkip = 0;
    if (token.kind === 'open') this.#open();
    else if (token.kind === 'close') this.#close();
    else this.#word(token.name, token.parameter);
  }

  #open(): void {
    if (++this.#depth <= MAX_DEPTH) this.#groups.push({ ...this.#group });
  }

  #close(): void {
    if (this.#depth > 0 && this.#depth-- > MAX_DEPTH) return;
    this.#group = this.#groups.pop() ?? this.#group;
  }

  #word(name: string, parameter: number | undefined): void {
    const group = this.#group;
    if (name === 'u') this.#toSkip = group.fallbackBytes;
    else if (name === 'uc') group.fallbackBytes = parameter ?? 1;
    else if (name === 'fonttbl') group.isFontTable = true;
    else if (name === 'f' && group.isFontTable) {
      this.#font = { name: '' };
      this.#fonts.set(parameter ?? 0, this.#font);
    } else if (group.isFontTable) this.#fontProperty(name, parameter ?? 0);
    else if (name === 'f') group.font = parameter ?? 0;
    else if (name === 'plain') group.font = undefined;
    else if (name === 'deff') this.#defaultFont = parameter ?? 0;
    else if (name === 'ansicpg' && parameter) this.#encoding = encodingOfCodePage(parameter);
    else if (Object.hasOwn(CHARACTER_SETS, name)) this.#encoding ??= CHARACTER_SETS[name];
  }

  #fontProperty(name: string, parameter: number): void {
    if (!this.#font) return;
    if (name === 'fcharset') this.#font.encoding ??= encodingOfCharset(parameter);
    if (name === 'cpg' && parameter) this.#font.encoding = encodingOfCodePage(parameter);
  }

  #add(value: number, start: number, end: number): void {
    const { bytes } = this.#run;
    if (bytes.length === 0) this.#run.start = start;
    bytes.push(value);
    this.#run.end = end;
  }

  #flush(): void {
    const { bytes, start, end } = this.#run;
    if (bytes.length === 0) return;
    this.#run = { bytes: [], start: 0, end: 0 };
    if (this.#group.isFontTable && this.#font)
      this.#font.name += String.fromCharCode(...bytes).replace(/;.*/s, '');
    if (!bytes.some((byte) => byte >= 0x80) && !this.#usesSymbols()) return;
    const text = this.#decode(bytes);
    this.#parts.push(this.#file.subarray(this.#copiedTo, start), Buffer.from(this.#escape(text)));
    this.#copiedTo = end;
  }

  #currentFont(): Font | undefined {
    return this.#fonts.get(this.#group.font ?? this.#defaultFont);
  }

  #usesSymbols(): boolean {
    return !this.#group.isFontTable && /^(?:symbol|wingdings)$/i.test(this.#currentFont()?.name.trim() ?? '');
  }

  #decode(bytes: readonly number[]): string {
    const font = this.#group.isFontTable ? this.#font : this.#currentFont();
    if (this.#usesSymbols()) {
      const name = font?.name.trim() ?? '';
      return bytes.map((byte) => symbolOf(name, byte) ?? String.fromCharCode(byte)).join('');
    }
    const encoding = font?.encoding ?? this.#encoding;
    if (encoding) return decodeBytes(Uint8Array.from(bytes), encoding);
    if (!this.#group.isFontTable && this.undeclared.length < DETECTED_BYTES)
      this.undeclared.push(...bytes, 0x0a);
    return decodeBytes(Uint8Array.from(bytes), this.#detected);
  }

  #escape(text: string): string {
    const fallback = '?'.repeat(Math.min(8, this.#group.fallbackBytes)) || ' ';
    return text.replace(/[\\{}]|[^\0-\x7f]/g, (character) => {
      if (character < '\x80') return `\\${character}`;
      const code = character.charCodeAt(0);
      return `\\u${code > 0x7fff ? code - 0x10000 : code}${fallback}`;
    });
  }
}
