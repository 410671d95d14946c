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

/** The form that each byte has in a word: letters of ASCII in lower case, and digits; 0 for bytes that separate words. */
const ASCII_WORDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});
/** The same table for texts in which all characters beyond ASCII belong to words. */
const WORDS = ASCII_WORDS.map((inWord, byte) => (byte >= 0x80 ? byte : inWord));

/** English function words, which nearly every page has. */
const IGNORED = `${[...functionWords('en')].join(' ')} `;

/**
 * Collects the different words of texts. They stay bytes, which are written one after the other, and are known by hashes of
 * 32 bits: to make a string of each word of a page takes three times as long. Two words of a page have the same hash in one
 * of ten thousand pages; the second one is missing then.
 */
class DistinctWords {
  /** The ignored words and those of the text, with a space after each. */
  readonly #words = Buffer.alloc(IGNORED.length + (MAX_WORDS + 1) * (MAX_WORD_BYTES + 1));
  /** A hash table; 0 is a free place. */
  readonly #hashes = new Int32Array(4 * 1_024);
  readonly #ignored: Int32Array;
  #text = Buffer.alloc(0);

  constructor() {
    this.#add(IGNORED, ASCII_WORDS, Number.POSITIVE_INFINITY);
    this.#ignored = this.#hashes.slice();
  }

  /** The first 1,000 words of a text, in which ASCII characters separate words, with a space between them. */
  collect(text: string, inWords: Uint8Array): string {
    this.#hashes.set(this.#ignored);
    const end = this.#add(text, inWords, MAX_WORDS);
    return this.#words.toString('utf8', 0, Math.max(0, end - 1));
  }

  /** Writes the words of a text that are not there yet. @returns where the last one ends */
  #add(text: string, inWords: Uint8Array, most: number): number {
    const words = this.#words;
    const length = this.#encode(text);
    const bytes = this.#text;
    let begin = 0;
    let end = 0;
    let hash = 0;
    for (let at = 0, count = 0; at < length && count < most; at++) {
      const byte = inWords[bytes[at]!]!;
      if (byte !== 0) {
        // The rest of a word that is too long is not written.
        if (end - begin <= MAX_WORD_BYTES) words[end++] = byte;
        hash = Math.imul(hash ^ byte, FNV_PRIME);
        continue;
      }
      if (end > begin && this.#isShort(begin, end) && this.#isNew(hash)) {
        words[end++] = SPACE;
        begin = end;
        count++;
      }
      end = begin;
      hash = 0;
    }
    return begin;
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
    return this.#words.toString('utf8', begin, end).length <= MAX_WORD_CHARACTERS;
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
 * The first 1,000 different words of a text as `splitWords` returns them, separated by spaces, without English function words
 * and without those that are longer than 40 characters.
 */
export const distinctWords = (text: string): string =>
  hasLettersBeyondAscii(text)
    ? collector.collect(separateWords(text), WORDS)
    : collector.collect(text, ASCII_WORDS);
