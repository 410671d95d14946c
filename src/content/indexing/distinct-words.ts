import { functionWords, hasLettersBeyondAscii, separateWords } from '../answers/words.ts';

/** Most different words of a page that are indexed. Few pages have more. */
const MAX_WORDS = 1_000;
/** Longer ones are hashes and the like, which nobody searches for. */
export const MAX_WORD_CHARACTERS = 40;
/** Most bytes that a word of so many UTF-16 units takes in UTF-8. */
const MAX_WORD_BYTES = 3 * MAX_WORD_CHARACTERS;

const SPACE = 0x20;
/** The factor of the hash function FNV-1a. */
const FNV_PRIME = 0x01000193;

/**
 * The form that each byte has in a word: letters of ASCII in lower case, and digits; 0 for bytes that
 * separate words.
 */
const ASCII_WORDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});
/** The same table for texts in which all characters beyond ASCII belong to words. */
const WORDS = ASCII_WORDS.map((inWord, byte) => (byte >= 0x80 ? byte : inWord));

/** English function words, which nearly every page has. */
const IGNORED = [...functionWords('en')].join(' ');

/**
 * Collects the different words of texts. They stay bytes, which are written one after the other, and are
 * known by hashes of 32 bits: to make a string of each word of a page takes three times as long. Two words of
 * a page have the same hash in one of ten thousand pages; the second one is missing then.
 */
class DistinctWords {
  /** The words of the text, with a space after each. */
  readonly #words = Buffer.alloc(MAX_WORDS * (MAX_WORD_BYTES + 1));
  /** A hash table; 0 is a free place. */
  readonly #hashes = new Int32Array(4 * 1_024);
  /** The same with the ignored words only. */
  readonly #ignored = new Int32Array(this.#hashes.length);
  #text = Buffer.alloc(0);

  constructor() {
    this.collect(IGNORED, ASCII_WORDS);
    this.#ignored.set(this.#hashes);
  }

  /** The first 1,000 words of a text, in which ASCII characters separate words, with a space between them. */
  collect(text: string, inWords: Uint8Array): string {
    this.#hashes.set(this.#ignored);
    const length = this.#encode(text);
    const bytes = this.#text;
    let written = 0;
    for (let at = 0, count = 0; at < length && count < MAX_WORDS; at++) {
      const begin = at;
      let hash = 0;
      for (let byte = inWords[bytes[at]!]!; byte !== 0; byte = inWords[bytes[++at]!]!)
        hash = Math.imul(hash ^ byte, FNV_PRIME);
      if (at === begin || !this.#isShort(begin, at) || !this.#isNew(hash)) continue;
      for (let from = begin; from < at; from++) this.#words[written++] = inWords[bytes[from]!]!;
      this.#words[written++] = SPACE;
      count++;
    }
    return this.#words.toString('utf8', 0, Math.max(0, written - 1));
  }

  /** Writes a text and a space to `#text`. @returns the length in bytes */
  #encode(text: string): number {
    const most = 3 * text.length + 1;
    if (this.#text.length < most) this.#text = Buffer.allocUnsafe(most);
    const length = this.#text.write(text);
    this.#text[length] = SPACE;
    return length + 1;
  }

  #isShort(begin: number, end: number): boolean {
    if (end - begin <= MAX_WORD_CHARACTERS) return true;
    if (end - begin > MAX_WORD_BYTES) return false;
    return this.#text.toString('utf8', begin, end).length <= MAX_WORD_CHARACTERS;
  }

  /** Whether the word is not among those before it; if so, it is from now on. */
  #isNew(given: number): boolean {
    const hashes = this.#hashes;
    const hash = given || 1;
    const last = hashes.length - 1;
    let place = (hash ^ (hash >>> 15)) & last;
    while (hashes[place] !== 0) {
      if (hashes[place] === hash) return false;
      place = (place + 1) & last;
    }
    hashes[place] = hash;
    return true;
  }
}

const collector = new DistinctWords();

/**
 * The first 1,000 different words of a text as `splitWords` returns them, separated by spaces, without
 * English function words and without those that are longer than 40 characters.
 */
export const distinctWords = (text: string): string =>
  hasLettersBeyondAscii(text)
    ? collector.collect(separateWords(text), WORDS)
    : collector.collect(text, ASCII_WORDS);
