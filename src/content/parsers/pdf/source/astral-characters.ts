import { constants, deflateSync } from 'node:zlib';
import type { ParsedPage } from '@llamaindex/liteparse';
import { type CharacterMap, findCharacterMaps } from './character-maps.ts';

/**
 * Syllables of Yi, which stand for the characters that liteparse drops. Instead of characters for private use,
 * which are made for this, liteparse returns what it guesses from their codes.
 */
const FIRST_PLACEHOLDER = 0xa000;
const LAST_PLACEHOLDER = 0xa48c;

/** A file in which placeholders stand for the characters above U+FFFF. */
export interface FileWithPlaceholders {
  file: Buffer;
  /** The characters by their placeholders. */
  characters: ReadonlyMap<string, string>;
}

/**
 * Writes placeholders for characters above U+FFFF into the character maps of fonts (`ToUnicode`, ISO 32000-1,
 * 9.10.3), because liteparse drops such characters: mathematical letters, emoji and rare ideographs. A map is
 * replaced in its place, as the new one is never longer, so all references of the file stay true.
 * @returns the same file if it has no such characters; encrypted files and maps in unusual filters stay as
 * they are
 */
export function withPlaceholders(file: Buffer): FileWithPlaceholders {
  const maps = findCharacterMaps(file);
  const astral = maps.filter(({ text }) => SURROGATES.test(text));
  if (astral.length === 0) return { file, characters: new Map() };
  const placeholders = new Placeholders(maps);
  const changed = Buffer.from(file);
  for (const map of astral) {
    const body = Buffer.from(rewriteMap(map.text, placeholders), 'latin1');
    const bytes = map.isCompressed ? deflateSync(body, { level: constants.Z_BEST_COMPRESSION }) : body;
    if (bytes.length > map.end - map.start) continue;
    changed.fill(map.isCompressed ? 0 : 0x20, map.start, map.end);
    bytes.copy(changed, map.start);
  }
  return { file: changed, characters: placeholders.characters };
}

/** Puts the characters back into the text of pages. */
export function restoreCharacters(pages: readonly ParsedPage[], characters: ReadonlyMap<string, string>) {
  if (characters.size === 0) return;
  const restore = (text: string) => text.replace(PLACEHOLDERS, (one) => characters.get(one) ?? one);
  for (const { textItems } of pages)
    for (const item of textItems) {
      item.text = restore(item.text);
      for (const word of item.words ?? []) word.text = restore(word.text);
    }
}

const SURROGATES = /d[89ab][\da-f]{2}d[c-f][\da-f]{2}/i;
const PLACEHOLDERS = /[\ua000-\ua48c]/g;
const PLACEHOLDER_CODES = /a[0-4][\da-f]{2}/gi;

/** Hands out placeholders that no map of the file uses itself, as fonts for Yi do. */
class Placeholders {
  readonly characters = new Map<string, string>();
  readonly #byCharacter = new Map<string, string>();
  readonly #used = new Set<number>();
  #next = FIRST_PLACEHOLDER;

  constructor(maps: readonly CharacterMap[]) {
    for (const { text } of maps)
      for (const [code] of text.matchAll(PLACEHOLDER_CODES)) this.#used.add(Number.parseInt(code, 16));
  }

  /** A text with placeholders, as far as there are enough of them. */
  replace(text: string): string {
    return Array.from(text, (one) =>
      one.length > 1 ? (this.#byCharacter.get(one) ?? this.ofRange(one, 1) ?? one) : one,
    ).join('');
  }

  /**
   * The first of consecutive placeholders for consecutive characters.
   * @returns undefined if there are too few of them
   */
  ofRange(first: string, count: number): string | undefined {
    let start = this.#next;
    for (let code = start; code < start + count; code++) if (this.#used.has(code)) start = code + 1;
    if (start + count - 1 > LAST_PLACEHOLDER) return undefined;
    for (let place = 0; place < count; place++) {
      const character = String.fromCodePoint(Math.min((first.codePointAt(0) ?? 0) + place, LAST_CHARACTER));
      const placeholder = String.fromCharCode(start + place);
      this.characters.set(placeholder, character);
      this.#byCharacter.set(character, placeholder);
    }
    this.#next = start + count;
    return String.fromCharCode(start);
  }
}

/** The last character of Unicode. */
const LAST_CHARACTER = 0x10ffff;

const SECTION = /begin(codespacerange|bfchar|bfrange)([\s\S]*?)end\1/g;
const PAIR = /<([\da-f\s]*)>\s*<([\da-f\s]*)>/gi;
const RANGE = /<([\da-f\s]*)>\s*<([\da-f\s]*)>\s*(?:<([\da-f\s]*)>|\[([^\]]*)\])/gi;

/** The sections of a map with placeholders, without the PostScript around them, which PDFium ignores. */
function rewriteMap(text: string, placeholders: Placeholders): string {
  const sections: string[] = [];
  for (const [, kind, body = ''] of text.matchAll(SECTION)) {
    const lines =
      kind === 'codespacerange'
        ? [body.trim()]
        : kind === 'bfchar'
          ? Array.from(
              body.matchAll(PAIR),
              ([, code, target = '']) => `<${code}><${rewritten(target, placeholders)}>`,
            )
          : Array.from(body.matchAll(RANGE), (range) => rewriteRange(range, placeholders));
    sections.push(`${lines.length} begin${kind}\n${lines.join('\n')}\nend${kind}\n`);
  }
  return sections.join('');
}

/** One range of codes, with the first target of them all or a list of one for each. */
function rewriteRange(
  [whole, first = '', last = '', target, list = '']: RegExpExecArray,
  placeholders: Placeholders,
): string {
  if (target === undefined) {
    const targets = list.replace(/<([\da-f\s]*)>/gi, (_, one: string) => `<${rewritten(one, placeholders)}>`);
    return `<${first}><${last}>[${targets}]`;
  }
  if (!SURROGATES.test(target)) return whole;
  const [character = '', ...before] = Array.from(toText(target)).reverse();
  const count = Number.parseInt(last, 16) - Number.parseInt(first, 16) + 1;
  const start = count > 0 && character.length > 1 ? placeholders.ofRange(character, count) : undefined;
  if (!start) return whole;
  return `<${first}><${last}><${toHex(placeholders.replace(before.reverse().join('')) + start)}>`;
}

const rewritten = (hex: string, placeholders: Placeholders) =>
  SURROGATES.test(hex) ? toHex(placeholders.replace(toText(hex))) : hex;

/** The text that the hexadecimal digits of its UTF-16 code units stand for. */
const toText = (hex: string) =>
  String.fromCharCode(
    ...Array.from(hex.replace(/\s+/g, '').matchAll(/.{4}/g), ([unit]) => Number.parseInt(unit, 16)),
  );

const toHex = (text: string) =>
  Array.from({ length: text.length }, (_, place) =>
    text.charCodeAt(place).toString(16).padStart(4, '0'),
  ).join('');
