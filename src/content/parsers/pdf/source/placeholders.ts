import type { CharacterMap } from './character-maps.ts';
import type { FontStyle } from './words.ts';

/**
 * Syllables of Yi, which stand for other characters. Instead of characters for private use, which are made for
 * this, liteparse returns what it guesses from their codes.
 */
const FIRST_PLACEHOLDER = 0xa000;
const LAST_PLACEHOLDER = 0xa48c;
/** All visible characters of ASCII. */
const FIRST_ASCII = 0x21;
const LAST_ASCII = 0x7e;
const PLACEHOLDER_CODES = /a[0-4][\da-f]{2}/gi;

export const PLACEHOLDERS = /[\ua000-\ua48c]/;

/** What a placeholder stands for: a character, and the style of its font if it tells one. */
export interface Replaced {
  character: string;
  style?: FontStyle;
}

/** Hands out placeholders that no map of the file uses itself, as fonts for Yi do. */
export class Placeholders {
  readonly replaced = new Map<string, Replaced>();
  readonly #byKey = new Map<string, string>();
  readonly #used = new Set<number>();
  #next = FIRST_PLACEHOLDER;

  constructor(maps: readonly CharacterMap[]) {
    for (const { text } of maps)
      for (const [code] of text.matchAll(PLACEHOLDER_CODES)) this.#used.add(Number.parseInt(code, 16));
  }

  /**
   * The placeholder of a character, which is the same one for the same style.
   * @returns undefined if there are too few of them
   */
  of(character: string, style?: FontStyle): string | undefined {
    const known = this.#byKey.get(keyOf(character, style));
    if (known) return known;
    const code = character.codePointAt(0) ?? 0;
    if (!style || code < FIRST_ASCII || code > LAST_ASCII) return this.#add(character, style);
    // The characters of ASCII get consecutive ones, so that ranges of them stay short.
    for (let each = FIRST_ASCII; each <= LAST_ASCII; each++) this.#add(String.fromCharCode(each), style);
    return this.#byKey.get(keyOf(character, style));
  }

  #add(character: string, style: FontStyle | undefined): string | undefined {
    while (this.#used.has(this.#next)) this.#next++;
    if (this.#next > LAST_PLACEHOLDER) return undefined;
    const placeholder = String.fromCharCode(this.#next++);
    this.replaced.set(placeholder, { character, ...(style && { style }) });
    this.#byKey.set(keyOf(character, style), placeholder);
    return placeholder;
  }
}

const keyOf = (character: string, style: FontStyle | undefined) =>
  style ? `${character} ${style.bold} ${style.italic} ${style.monospaced}` : character;
