import { isUtf8 } from 'node:buffer';
import { toBuffer } from '../../source-text.ts';
import { createDecoder, decodeBytes } from './code-pages.ts';
import { costOfText, type Language } from './text-cost.ts';

/** How the bytes of a text without a declaration are to be read. */
export interface DetectedEncoding {
  /** A label of the WHATWG Encoding Standard, or a code page of DOS. */
  encoding: string;
  /** Whether no other encoding is nearly as likely. */
  isCertain: boolean;
}

interface Candidate {
  encoding: string;
  /** How much rarer the encoding is than windows-1252, as a natural logarithm. */
  rarity: number;
  languages: readonly Language[];
}

const WESTERN: Language[] = [
  ...(['german', 'french', 'spanish', 'portuguese', 'italian', 'nordic', 'western'] as const),
];
const CENTRAL: Language[] = [
  ...(['polish', 'czech', 'slovak', 'hungarian', 'romanian', 'southSlavic', 'german'] as const),
];
/** Encodings of several bytes, which are hardly ever valid by chance, come first. */
const CANDIDATES: readonly Candidate[] = [
  { encoding: 'shift_jis', rarity: 1, languages: ['japanese'] },
  { encoding: 'gb18030', rarity: 1, languages: ['simplifiedChinese'] },
  { encoding: 'euc-kr', rarity: 1.5, languages: ['korean'] },
  { encoding: 'euc-jp', rarity: 2, languages: ['japanese'] },
  { encoding: 'big5', rarity: 2, languages: ['traditionalChinese'] },
  { encoding: 'windows-1252', rarity: 0, languages: WESTERN },
  { encoding: 'windows-1251', rarity: 0.5, languages: ['russian', 'ukrainian', 'serbian', 'bulgarian'] },
  { encoding: 'windows-1250', rarity: 2, languages: CENTRAL },
  { encoding: 'windows-1253', rarity: 1, languages: ['greek'] },
  { encoding: 'windows-1254', rarity: 1, languages: ['turkish'] },
  { encoding: 'windows-1255', rarity: 1, languages: ['hebrew'] },
  { encoding: 'windows-1256', rarity: 1, languages: ['arabic'] },
  { encoding: 'windows-874', rarity: 1.5, languages: ['thai'] },
  { encoding: 'windows-1257', rarity: 2, languages: ['baltic', 'estonian'] },
  { encoding: 'koi8-u', rarity: 2, languages: ['russian', 'ukrainian'] },
  { encoding: 'macintosh', rarity: 2, languages: WESTERN },
  { encoding: 'iso-8859-2', rarity: 3, languages: CENTRAL },
  { encoding: 'iso-8859-7', rarity: 2, languages: ['greek'] },
  { encoding: 'ibm866', rarity: 2.5, languages: ['russian'] },
  { encoding: 'x-mac-cyrillic', rarity: 3, languages: ['russian', 'ukrainian'] },
  { encoding: 'iso-8859-5', rarity: 3, languages: ['russian', 'serbian'] },
  { encoding: 'iso-8859-6', rarity: 3, languages: ['arabic'] },
  { encoding: 'windows-1252', rarity: 3, languages: ['icelandic'] },
  { encoding: 'windows-1258', rarity: 4, languages: ['vietnamese'] },
];
/** Tried where none of the others makes sense, because their tables are large. */
const OF_DOS: readonly Candidate[] = [
  { encoding: 'cp850', rarity: 2, languages: WESTERN },
  { encoding: 'cp852', rarity: 3, languages: CENTRAL },
];
/** The cost of a byte beyond ASCII in a text that makes sense. */
const SENSIBLE_COST = 5.5;
/** By how much the second best encoding has to cost more. */
const CERTAIN_MARGIN = 3;
/** Bytes of lines beyond ASCII that are looked at. */
const SAMPLE_BYTES = 4096;
/** Escape sequences of ISO-2022-JP, which begin two-byte characters. */
const ISO_2022_JP = ['\x1b$B', '\x1b$@'];

/**
 * Finds out how bytes without a declaration are encoded: strictly as UTF-8, UTF-16 or ISO-2022-JP, else in
 * the encoding in which their characters are most likely. The result decodes all bytes.
 */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const utf16 = utf16WithoutMark(bytes);
  if (utf16) return { encoding: utf16, isCertain: true };
  const sample = sampleOf(bytes);
  if (sample.length === 0) {
    const start = toBuffer(bytes).subarray(0, 64 * 1024);
    const isJapanese = ISO_2022_JP.some((sequence) => start.includes(sequence));
    return { encoding: isJapanese ? 'iso-2022-jp' : 'utf-8', isCertain: true };
  }
  if (isUtf8(bytes)) return { encoding: 'utf-8', isCertain: true };
  if (isNearlyUtf8(sample)) return { encoding: 'utf-8', isCertain: false };
  const ranked = rank(sample);
  // Decoding all bytes is slow, so the encodings are tried in order of likelihood.
  const place = ranked.findIndex(({ encoding }) => decodesAll(bytes, encoding));
  const [best, ...others] = place === -1 ? [] : ranked.slice(place);
  if (!best) return { encoding: 'windows-1252', isCertain: false };
  const next = others.find(({ text }) => text !== best.text);
  const isClear = !next || next.cost - best.cost >= CERTAIN_MARGIN;
  return { encoding: best.encoding, isCertain: isClear && makesSense(best, sample) };
}

/** The warning about text whose encoding nothing decides. */
export const guessWarning = (encoding: string): string =>
  `Nothing says how the text is encoded; it was read as ${encoding}. If characters are wrong, save it as UTF-8.`;

/** Decodes bytes without a declaration. */
export function decodeUndeclared(bytes: Uint8Array): DetectedEncoding & { text: string } {
  const detected = detectEncoding(bytes);
  return { ...detected, text: decodeBytes(bytes, detected.encoding) };
}

/**
 * UTF-16 without a byte order mark: text that is mostly ASCII has a zero in each second byte.
 */
export function utf16WithoutMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, 256) & ~1;
  if (length < 8) return undefined;
  let [even, odd] = [0, 0];
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) even++;
    if (bytes[at + 1] === 0) odd++;
  }
  if (odd > length * 0.3 && even === 0) return 'utf-16le';
  return even > length * 0.3 && odd === 0 ? 'utf-16be' : undefined;
}

/** Whether only a few bytes are not UTF-8, such as those of a file that was cut or joined from two. */
function isNearlyUtf8(sample: Uint8Array): boolean {
  const beyondAscii = new TextDecoder().decode(sample).replace(/[\0-\x7f]+/g, '');
  const damaged = beyondAscii.split('\ufffd').length - 1;
  return beyondAscii.length > 20 * damaged;
}

interface Ranked {
  encoding: string;
  text: string;
  cost: number;
}

function rank(sample: Uint8Array): Ranked[] {
  const ranked = CANDIDATES.flatMap((candidate) => evaluate(sample, candidate));
  ranked.sort((one, other) => one.cost - other.cost);
  const [best] = ranked;
  if (best && makesSense(best, sample)) return ranked;
  return [...ranked, ...OF_DOS.flatMap((candidate) => evaluate(sample, candidate))].sort(
    (one, other) => one.cost - other.cost,
  );
}

/** @returns nothing if the bytes are not valid in the encoding */
function evaluate(sample: Uint8Array, { encoding, rarity, languages }: Candidate): Ranked[] {
  const text = tryDecode(sample, encoding);
  if (text === undefined) return [];
  return [
    { encoding, text, cost: rarity + Math.min(...languages.map((language) => costOfText(text, language))) },
  ];
}

const makesSense = ({ cost }: Ranked, sample: Uint8Array): boolean =>
  cost < SENSIBLE_COST * sample.filter((byte) => byte >= 0x80).length + CERTAIN_MARGIN;

/** @returns undefined if the bytes are not valid in the encoding; an incomplete character at the end is */
function tryDecode(bytes: Uint8Array, encoding: string, isWhole = false): string | undefined {
  try {
    const decoder = createDecoder(encoding, { fatal: true });
    return decoder ? decoder.decode(bytes, { stream: !isWhole }) : decodeBytes(bytes, encoding);
  } catch (error) {
    // Bytes that are not valid in the encoding.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const decodesAll = (bytes: Uint8Array, encoding: string) => tryDecode(bytes, encoding, true) !== undefined;

/** The first lines with bytes beyond ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const file = toBuffer(bytes);
  const lines: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < file.length && length < SAMPLE_BYTES; ) {
    const first = firstBeyondAscii(file, at);
    if (first === -1) break;
    const start = file.lastIndexOf(0x0a, first) + 1;
    const newline = file.indexOf(0x0a, first);
    const end = newline === -1 ? file.length : newline + 1;
    const line = file.subarray(Math.max(start, at, first - 200), Math.min(end, first + SAMPLE_BYTES));
    lines.push(line);
    length += line.length;
    at = end;
  }
  return Buffer.concat(lines);
}

function firstBeyondAscii(file: Buffer, from: number): number {
  for (let at = from; at < file.length; at++) if ((file[at] as number) >= 0x80) return at;
  return -1;
}
