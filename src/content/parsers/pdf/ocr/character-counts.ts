/** Characters that result from fonts without a mapping to Unicode. */
const UNKNOWN = /[\ufffd\ue000-\uf8ff]|\p{Cn}/u;
const READABLE = /[\p{L}\p{N}]/u;
const LEADER = /[.·…_]/;
const SPACE = /\s/;
/** Minimum number of dots or rules in a row that lead to the page numbers of contents. */
const MIN_LEADERS = 3;

/** How many characters of some kinds a text has. */
export interface CharacterCounts {
  /** All but spaces, and the dots and rules before the page numbers of contents. */
  characters: number;
  /** Those that result from fonts without a mapping to Unicode. */
  unknown: number;
  /** Letters and digits of any script. */
  readable: number;
  /** The letters from A to Z. */
  latin: number;
  small: number;
  vowels: number;
}

const NOT_YET = 0xff;
/** The kinds of a character, as bits. */
const KIND = { unknown: 1, readable: 2, latin: 4, small: 8, vowel: 16, space: 32, leader: 64 };

/** The kinds of each UTF-16 code unit that has been met, so that patterns decide only once for each. */
const known = new Uint8Array(0x10000).fill(NOT_YET);

function kindsOfUnit(character: string): number {
  const code = character.charCodeAt(0);
  const kinds = known[code] as number;
  if (kinds !== NOT_YET) return kinds;
  const found = kindsOf(character);
  known[code] = found;
  return found;
}

function kindsOf(character: string): number {
  const isLatin = /[A-Za-z]/.test(character);
  return (
    (UNKNOWN.test(character) ? KIND.unknown : 0) |
    (READABLE.test(character) ? KIND.readable : 0) |
    (isLatin ? KIND.latin : 0) |
    (/[a-z]/.test(character) ? KIND.small : 0) |
    (/[aeiou]/i.test(character) ? KIND.vowel : 0) |
    (SPACE.test(character) ? KIND.space : 0) |
    (LEADER.test(character) ? KIND.leader : 0)
  );
}

/** Counts the characters of a text by kind. */
export function countKinds(text: string): CharacterCounts {
  const counts = { characters: 0, unknown: 0, readable: 0, latin: 0, small: 0, vowels: 0 };
  /** Dots and rules that follow each other, with one space between them at most. */
  let leaders = 0;
  let isAfterSpace = false;
  for (const character of text) {
    const kinds = character.length === 1 ? kindsOfUnit(character) : kindsOf(character);
    if (kinds & KIND.leader) leaders++;
    else if (!(kinds & KIND.space) || isAfterSpace) {
      if (leaders >= MIN_LEADERS) counts.characters -= leaders;
      leaders = 0;
    }
    isAfterSpace = (kinds & KIND.space) !== 0;
    if (!isAfterSpace) counts.characters += character.length;
    counts.unknown += kinds & KIND.unknown;
    if (kinds & KIND.readable) counts.readable++;
    if (kinds & KIND.latin) counts.latin++;
    if (kinds & KIND.small) counts.small++;
    if (kinds & KIND.vowel) counts.vowels++;
  }
  if (leaders >= MIN_LEADERS) counts.characters -= leaders;
  return counts;
}
