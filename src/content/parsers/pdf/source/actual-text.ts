import type { CharacterMap } from './character-maps.ts';
import { expand, MAX_STREAMS, type Stream, streamAt } from './streams.ts';

/** Characters of scripts whose letters change their shape or order, in the hexadecimal digits of a map. */
const SHAPED = /<0(?:59[0-9a-f]|5[a-f]|[6-9a-d])[\da-f]+>/i;
/** A span with the characters of its glyphs (ISO 32000-1, 14.9.4), as Chromium writes it. */
const SPAN = /\/Span<<\/ActualText <FEFF((?:[\dA-F]{4})*)> >> BDC\n((?:(?!BDC|EMC)[\s\S]){0,2000}?)EMC\n/g;
const REVERSED = /^0(?:59|5[A-F]|[67]|8[0-9A-F])/;
/** Bytes after a span by which a move to another place is recognised. */
const MAX_MOVE = 200;
/** A character without a width, which is no text. */
const NO_CHARACTER = '200B';

/**
 * Has the spans of glyphs with their characters (`ActualText`) written as PDFium can read them, in files of
 * Chromium, which has a span for each syllable that is drawn by several glyphs. PDFium gives the text of a span
 * the box of its first glyph, so that words fall into pieces, and reverses letters of Arabic. The letters of
 * scripts from right to left have their characters in the maps of their fonts; in others, each further glyph
 * gets a span of its own. The changed streams are appended, and the rest of the file stays as it is.
 * @param maps the character maps of the fonts of the file
 */
export function withSeparateSpans(file: Buffer, maps: readonly CharacterMap[]): Buffer {
  if (!maps.some(({ text }) => SHAPED.test(text)) || !file.includes('Skia/PDF')) return file;
  const trailer = lastTrailer(file);
  // The streams of an encrypted file cannot be read.
  if (!trailer || trailer.includes('/Encrypt')) return file;
  const parts = [file, Buffer.from('\n')];
  let length = file.length + 1;
  const entries: string[] = [];
  for (const { number, start, end, dictionary } of compressedStreams(file)) {
    if (!/^\d+ \d+$/.test(number) || /\/(?:Length1|Image|ObjStm|XRef)\b/.test(dictionary)) continue;
    const content = expand(file.subarray(start, end));
    if (!content?.includes('/ActualText')) continue;
    const changed = content.replace(SPAN, (whole: string, hex: string, glyphs: string, at: number) =>
      separated(whole, hex, glyphs, content.slice(at + whole.length, at + whole.length + MAX_MOVE)),
    );
    const kept = dictionary
      .slice(dictionary.indexOf('<<') + 2, dictionary.lastIndexOf('>>'))
      .replace(/\/(?:Filter\s*\/FlateDecode|Length\s+\d+)/g, '');
    const body = `${number} obj\n<<${kept}/Length ${changed.length}>>\nstream\n${changed}\nendstream\nendobj\n`;
    const [object, generation] = number.split(' ') as [string, string];
    entries.push(`${object} 1\n${String(length).padStart(10, '0')} ${generation.padStart(5, '0')} n \n`);
    const bytes = Buffer.from(body, 'latin1');
    parts.push(bytes);
    length += bytes.length;
  }
  if (entries.length === 0) return file;
  parts.push(Buffer.from(`xref\n${entries.join('')}${trailer}startxref\n${length}\n%%EOF\n`, 'latin1'));
  return Buffer.concat(parts);
}

/** A move to the place of the next glyph, which a glyph without a width does not need. */
const MOVE = /^(?:\/Span<<[^>]*> >> BDC\s|\/F\d+ [\d.]+ Tf\s)*-?[\d.]+ -?[\d.]+ Td\b/;
const LAST = /^(?:EMC\s)*ET\b/;

/**
 * A span with a span for each glyph that has a width.
 * @param hex the characters in hexadecimal digits
 * @param after what follows the span
 */
function separated(whole: string, hex: string, glyphs: string, after: string): string {
  if (REVERSED.test(hex)) return glyphs;
  const drawn = glyphs.split(/(?<=Tj\n)(?=[\s\S]*Tj\n)/);
  const groups: string[] = [];
  drawn.forEach((glyph, place) => {
    const next = drawn[place + 1];
    const isWide = next === undefined ? endsWide(toText(hex), drawn.length, after) : MOVE.test(next);
    if (groups.length === 0 || isWide) groups.push(glyph);
    else groups[groups.length - 1] += glyph;
  });
  const [first, ...others] = groups as [string, ...string[]];
  if (others.length === 0) return whole;
  const span = (text: string, body: string) => `/Span<</ActualText <FEFF${text}> >> BDC\n${body}EMC\n`;
  return span(hex, first) + others.map((body) => span(NO_CHARACTER, body)).join('');
}

/**
 * Whether the last glyph of a span has a width. Signs above and below letters have none, unless one of two glyphs
 * is a vowel sign together with them.
 */
function endsWide(text: string, glyphs: number, after: string): boolean {
  if (LAST.test(after)) return /\p{Mc}$/u.test(text);
  return MOVE.test(after) && (/\P{Mn}$/u.test(text) || (glyphs === 2 && /\p{Mc}/u.test(text)));
}

const toText = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');

/** The last trailer of a file, for an update that is appended to it (ISO 32000-1, 7.5.6). */
function lastTrailer(file: Buffer): string | undefined {
  const at = file.lastIndexOf('trailer');
  if (at === -1) return undefined;
  const [, entries, start] =
    /^trailer\s*<<([\s\S]*)>>\s*startxref\s+(\d+)/.exec(file.toString('latin1', at)) ?? [];
  if (entries === undefined) return undefined;
  return `trailer\n<<${entries.replace(/\/Prev\s+\d+/, '')}/Prev ${start}>>\n`;
}

function* compressedStreams(file: Buffer): Generator<Stream> {
  let at = file.indexOf('stream');
  for (let count = 0; at !== -1 && count < MAX_STREAMS; count++) {
    const stream = streamAt(file, at);
    if (!stream) return;
    if (stream.dictionary.includes('/FlateDecode')) yield stream;
    const next = file.indexOf('endstream', stream.end);
    at = next === -1 ? -1 : file.indexOf('stream', next + 'endstream'.length);
  }
}
