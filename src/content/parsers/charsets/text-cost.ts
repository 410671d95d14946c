import { createDecoder } from './code-pages.ts';
import { ALPHABETS, type Alphabet, FREQUENT, QUOTES, SIGNS } from './languages.ts';

/** A language whose texts an encoding can hold. */
export type Language = keyof typeof ALPHABETS | keyof typeof FREQUENT;

/** Costs are negative natural logarithms of probabilities; this is that of a character nobody expects. */
const UNKNOWN_COST = 14;
/** The cost of what words do not do: change between alphabets, or have a capital behind a small letter. */
const ODD_COST = 3;
const FINAL_FORMS = /[ךםןףץς]/u;
const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;

/**
 * How unlikely the characters of a text beyond ASCII are in a language. As a text in the wrong encoding has
 * more, or rarer, characters, the costs of the same bytes in several encodings tell these apart.
 */
export function costOfText(text: string, language: Language): number {
  const costs = costsOf(language);
  const isOwnScript = language in FREQUENT || alphabetOf(language).isOwnScript;
  let cost = 0;
  const hasWords = !(language in FREQUENT);
  let [before, previous] = ['', ''];
  for (const character of text) {
    if (character >= '\u0080') cost += costs.get(character) ?? UNKNOWN_COST;
    else if (previous >= '\u0080') cost += costOfNeighbour(character);
    cost += costOfPair(previous, character, isOwnScript);
    if (isWithinWord(before, previous, character)) cost += ODD_COST;
    if (hasWords && isAlone(before, previous, character)) cost += ODD_COST;
    before = previous;
    previous = character;
  }
  return cost;
}

/** ASCII behind another character costs something, because it can be the second byte of one character. */
function costOfNeighbour(character: string): number {
  if (/[\s,;."'\d]/.test(character)) return 1.5;
  return /[a-z]/i.test(character) ? 3 : 5;
}

/** Whether a sign other than an apostrophe stands between two letters. */
const isWithinWord = (before: string, sign: string, after: string) =>
  sign >= '\u0080' &&
  !LETTER.test(sign) &&
  !/[’‘·\p{M}]/u.test(sign) &&
  /\p{Ll}/u.test(before) &&
  LOWER.test(after);

/** Letters beyond ASCII that are words in some language. */
const ONE_LETTER_WORDS = /[àèéóâáòÀÈÉÓåöæøАВИКОСУЯавикосуяії]/;

/** Whether a letter beyond ASCII is a word of its own, which few are. */
const isAlone = (before: string, letter: string, after: string) =>
  letter >= '\u0080' &&
  !LETTER.test(before) &&
  LETTER.test(letter) &&
  !/[\p{L}\p{M}]/u.test(after) &&
  !ONE_LETTER_WORDS.test(letter);

function costOfPair(previous: string, character: string, isOwnScript: boolean): number {
  if (previous < '\u0080' && character < '\u0080') return 0;
  if (FINAL_FORMS.test(previous) && LETTER.test(character)) return ODD_COST;
  if (LOWER.test(previous) && UPPER.test(character)) return ODD_COST;
  const isLatin = /[a-z]/i.test(previous) !== /[a-z]/i.test(character);
  return isOwnScript && isLatin && LETTER.test(previous) && LETTER.test(character) ? ODD_COST : 0;
}

const known = new Map<Language, ReadonlyMap<string, number>>();

function costsOf(language: Language): ReadonlyMap<string, number> {
  const costs = known.get(language) ?? computeCosts(language);
  known.set(language, costs);
  return costs;
}

const alphabetOf = (language: Language): Alphabet => ALPHABETS[language as keyof typeof ALPHABETS];

/** The share of the characters of a language that a group of them has. */
type Shares = [characters: Iterable<string>, share: number][];

function computeCosts(language: Language): ReadonlyMap<string, number> {
  const shares = language in FREQUENT ? ideographShares(language) : alphabetShares(alphabetOf(language));
  const costs = new Map<string, number>();
  for (const [characters, share] of shares) {
    const group = new Set(characters);
    for (const character of group)
      if (!costs.has(character)) costs.set(character, -Math.log(share / group.size));
  }
  return costs;
}

function alphabetShares({ groups }: Alphabet): Shares {
  const whole = groups.reduce((sum, _, place) => sum + 0.5 ** place, 0);
  const letters = groups.map((group, place): Shares[number] => [group, (0.88 * 0.5 ** place) / whole]);
  return [...letters, [QUOTES, 0.09], [SIGNS, 0.03]];
}

const LINE_FEED = 0x0a;
const PUNCTUATION = '、。，．・：；？！「」『』（）〔〕【】《》〈〉“”‘’…—～〜％　￥';
const FULL_WIDTH = characterRange(0xff10, 0xff5a);

/** @param language one of {@link FREQUENT} */
function ideographShares(language: Language): Shares {
  const frequent = FREQUENT[language as keyof typeof FREQUENT];
  const signs: Shares = [
    [PUNCTUATION, 0.05],
    [FULL_WIDTH, 0.03],
    [`${QUOTES}${SIGNS}`, 0.005],
  ];
  switch (language) {
    case 'japanese':
      return [
        [characterRange(0x3041, 0x3093), 0.35],
        [`${characterRange(0x30a1, 0x30f6)}ー々`, 0.17],
        [frequent, 0.3],
        ...signs,
        [charactersOf('euc-jp', 0xb0, 0xcf), 0.1],
        [charactersOf('euc-jp', 0xd0, 0xf4), 0.005],
        [characterRange(0xff61, 0xff9f), 0.02],
      ];
    case 'korean':
      return [
        [frequent, 0.66],
        ...signs,
        [charactersOf('euc-kr', 0xb0, 0xc8), 0.25],
        [charactersOf('euc-kr', 0xca, 0xfd), 0.001],
      ];
    case 'traditionalChinese':
      return [
        [frequent, 0.55],
        ...signs,
        [charactersOf('big5', 0xa4, 0xc6), 0.35],
        [charactersOf('big5', 0xc9, 0xf9), 0.005],
      ];
    default:
      return [
        [frequent, 0.55],
        ...signs,
        [charactersOf('gb18030', 0xb0, 0xd7), 0.35],
        [charactersOf('gb18030', 0xd8, 0xf7), 0.005],
      ];
  }
}

function characterRange(first: number, last: number): string {
  return String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, place) => first + place));
}

/**
 * The characters of an encoding of two bytes whose first byte is in a range, which tells how common they are.
 */
function charactersOf(encoding: string, first: number, last: number): Set<string> {
  const pairs: number[] = [];
  for (let lead = first; lead <= last; lead++)
    for (let trail = encoding === 'big5' ? 0x40 : 0xa1; trail <= 0xfe; trail++)
      pairs.push(lead, trail, LINE_FEED);
  const text = createDecoder(encoding)?.decode(Uint8Array.from(pairs)) ?? '';
  const characters = new Set<string>();
  for (const character of text.split('\n'))
    if (character.length === 1 && !/[\ufffd\ue000-\uf8ff]/.test(character)) characters.add(character);
  return characters;
}
