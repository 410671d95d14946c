/**
 * Spellings of 127.0.0.x, whose last digit is written as `#`: each means the allowed address when that is 2,
 * and has to be refused when it is 1.
 */
const SPELLINGS = [
  '127.0.0.#', '127.0.#', '127.#', '127.0.0.#.', '127.00.000.0#', '0177.0.0.0#', '0177.0.0#', '0177.0#',
  '0x7f.0x0.0x0.0x#', '0x7f.0x#', '0X7F.0.0.0X#', '0x7f00000#', '0x7F00000#', '01770000000#',
  '127.0x0.00.#', '127.0x00000#', '１２７.０.０.#', '127。0。0。#', '127．0．0．#', '127｡0｡0｡#', '①②⑦.⓪.⓪.#',
  '𝟏𝟐𝟕.𝟎.𝟎.#', '𝟙𝟚𝟟.𝟘.𝟘.#', '¹²⁷.⁰.⁰.#', '₁₂₇.₀.₀.#', '%31%32%37.0.0.#', '127%2e0%2e0%2e#', '127%2E0.0.#', '127.0%E3%80%820.#',
  '127\u00ad.0.0.#', '127.\u200b0.0.#', '127.0.0.#\u2060', '[::ffff:127.0.0.#]', '[::ffff:7f00:#]', '[::FFFF:127.0.0.#]',
  '[0:0:0:0:0:ffff:127.0.0.#]', '[0000:0000:0000:0000:0000:FFFF:7F00:000#]', 'user@127.0.0.#', 'user:pass@127.0.0.#',
  'open.test@127.0.0.#', 'open.test:80@127.0.0.#', 'a@b@127.0.0.#', 'open.test%2f@127.0.0.#', 'open.test%5c@127.0.0.#',
  ':@127.0.0.#', '@127.0.0.#', '%00@127.0.0.#',
]; // biome-ignore format: a table

/** Decimal numbers have no digit of their own for it. */
const DECIMALS: Record<'1' | '2', string> = { 1: '2130706433', 2: '2130706434' };

/** The text between scheme and host, and after it, that parsers of URLs read differently. */
const FRAMES: [string, string][] = [
  ['http://', '/'], ['HTTP://', '/'], ['', '/'], ['//', '/'], ['http:/', '/'], ['http:///', '/'],
  ['http:////', '/'], ['http:\\\\', '/'], ['http:/\\', '/'], ['http:\\/', '\\'], ['  http://', '/  '],
  ['http://', '#@open.test/'], ['http://', '?@open.test/'], ['http://', '\\@open.test/'], ['http://', '/@open.test/'],
  ['http://', '#'], ['http://', ''],
]; // biome-ignore format: a table

/** Makes an address with a last digit, and a path where the spelling has room for one. */
type Spelling = (digit: '1' | '2', path: string) => string;

/** Spellings of the host and port of an address of the canary, which a page may use as well. */
export function hostSpellings(port: number): Spelling[] {
  return [
    ...SPELLINGS.map(
      (host): Spelling =>
        (digit, path) =>
          `http://${host.replace('#', digit)}:${port}/${path}`,
    ),
    (digit, path) => `http://${DECIMALS[digit]}:${port}/${path}`,
    (digit, path) => `http://127.0.0.${digit}:0000${port}/${path}`,
  ];
}

/** Every spelling of an address of the canary. */
export function spellings(port: number): Spelling[] {
  return [
    ...hostSpellings(port),
    ...FRAMES.map(
      ([before, after]): Spelling =>
        (digit, path) =>
          `${before}127.0.0.${digit}:${port}${path && '/'}${path}${after}`,
    ),
  ];
}
