/** JSON up to this many bytes is parsed in a few milliseconds, whatever it contains. */
const SMALL_BYTES = 1024 * 1024;
/**
 * Most values that JSON from outside may have. Parsing a million takes up to a second, and nothing else runs
 * meanwhile.
 */
export const MAX_JSON_VALUES = 1_000_000;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The most that JSON may contain. */
export interface JsonBounds {
  /** Number of values. An empty list or object counts as two. */
  values: number;
  /** Number of members of all objects, each of which takes as long as several values of a list. */
  members: number;
  /** Number of lists and objects inside each other. */
  depth: number;
}

/**
 * Whether JSON has more than {@link MAX_JSON_VALUES} values, without parsing it. Of what is no JSON, the
 * result means nothing.
 */
export const hasTooManyValues = (json: Buffer): boolean =>
  json.length > SMALL_BYTES && findExceededBound(json, { values: MAX_JSON_VALUES }) !== undefined;

/**
 * Finds the bound that JSON exceeds, without parsing it. It costs about a nanosecond per byte, and less in
 * strings. Of what is no JSON, the result means nothing.
 * @param json in UTF-8
 * @returns `undefined` if it is within all bounds
 */
export function findExceededBound(
  json: Buffer,
  {
    values: maxValues = Infinity,
    members: maxMembers = Infinity,
    depth: maxDepth = Infinity,
  }: Partial<JsonBounds>,
): keyof JsonBounds | undefined {
  let [values, members, depth] = [1, 0, 0];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = endOfString(json, at + 1);
      if (at < 0) return undefined;
    } else if (byte === BRACKET || byte === BRACE) {
      values++;
      if (++depth > maxDepth) return 'depth';
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
    else if (byte === COMMA) values++;
    else if (byte === COLON && ++members > maxMembers) return 'members';
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/**
 * The position of the quote that ends a string; -1 if there is none.
 * @param start where its content begins
 */
function endOfString(json: Buffer, start: number): number {
  let at = json.indexOf(QUOTE, start);
  while (at > 0 && isEscaped(json, at, start)) at = json.indexOf(QUOTE, at + 1);
  return at;
}

/** Whether an odd number of backslashes precedes a quote. */
function isEscaped(json: Buffer, quote: number, start: number): boolean {
  let at = quote;
  while (at > start && json[at - 1] === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}
