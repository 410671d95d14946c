import type { CountryCode } from 'libphonenumber-js/max';
import { findEmail, findSpelledEmail } from './emails.ts';
import { endOfIban, isPaymentCard } from './financial-numbers.ts';
import { endOfIpv4, findIpv6 } from './internet-addresses.ts';
import { findNames } from './names.ts';
import { endOfSpacedNino, isNationalNumber, isNationalToken } from './national-ids.ts';
import { isDigit, isWordCode, measureGroup, readGroup } from './numbers.ts';
import { EXTENSION, PhoneNumbers } from './phone-numbers.ts';
import { covers, type Entity, type Redaction, type Span } from './redaction.ts';
import { endOfKey, endOfPrivateKey, findLabelledSecret } from './secrets.ts';
import { findStreetAddress } from './street-addresses.ts';

/** What a text is: words for readers, or code, in which only what no program has otherwise is looked for. */
export type TextKind = 'words' | 'code';

type Range = { start: number; end: number } | undefined;

/** The characters that rules begin at. */
const MARK = /[0-9@:：=([{]/g;
const AT_SIGN = 64;
/** What is between the label and the value of a secret. */
const COLONS = new Set([...':：='].map((mark) => mark.charCodeAt(0)));
const PRIVATE_KEY = '-----BEGIN';

/** Digits of the shortest number that can be one of a person, a telephone or a card. */
const MIN_DIGITS = 6;
/** Digits of a house number at most. */
const MAX_HOUSE_DIGITS = 5;

/**
 * Finds personal data in texts of one page by rules, in time that grows with their length: every rule begins
 * at a digit, an at sign or another mark, and looks at a few characters around it.
 */
export class EntityFinder {
  readonly #redaction: Redaction;
  readonly #phones: PhoneNumbers;

  constructor(redaction: Redaction, countries: CountryCode[]) {
    this.#redaction = redaction;
    this.#phones = new PhoneNumbers(countries, redaction.mode === 'aggressive');
  }

  /** Returns the spans of a text in its order; none of them overlap. */
  find(text: string, kind: TextKind = 'words'): Span[] {
    const spans: Span[] = [];
    MARK.lastIndex = 0;
    let from = 0;
    let key = text.indexOf(PRIVATE_KEY);
    while (MARK.test(text)) {
      const at = MARK.lastIndex - 1;
      let span: Span | undefined;
      if (key >= 0 && at > key) {
        span = this.#as('SECRET', rangeTo(key, endOfPrivateKey(text, key)));
        key = text.indexOf(PRIVATE_KEY, key + PRIVATE_KEY.length);
      }
      span ??= this.#atMark(text, at, from, kind);
      if (span) {
        spans.push(span);
        from = span.end;
        MARK.lastIndex = span.end;
      } else if (isDigit(text.charCodeAt(at))) MARK.lastIndex = endOfNumbers(text, at);
    }
    const { names = [] } = this.#redaction;
    if (names.length === 0) return spans;
    // One word alone may be an identifier in code.
    return this.#withNames(
      text,
      spans,
      kind === 'words' ? names : names.filter((name) => name.includes(' ')),
    );
  }

  #atMark(text: string, at: number, from: number, kind: TextKind): Span | undefined {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return this.#atDigit(text, at, from, kind);
    if (code === AT_SIGN) return this.#as('EMAIL', findEmail(text, at, from));
    if (COLONS.has(code)) return this.#as('SECRET', findLabelledSecret(text, at));
    return this.#atBracket(text, at, from);
  }

  #as(entity: Entity, range: Range): Span | undefined {
    return range && covers(this.#redaction, entity) ? { ...range, entity } : undefined;
  }

  #atBracket(text: string, at: number, from: number): Span | undefined {
    const next = text.charCodeAt(at + 1) | 32;
    // The spelled at sign begins with a, ä, æ, c, @ or a space.
    const isCandidate =
      next === 97 || next === 99 || next === 228 || next === 230 || next === 96 || next === 32;
    return isCandidate ? this.#as('EMAIL', findSpelledEmail(text, at, from)) : undefined;
  }

  #atDigit(text: string, at: number, from: number, kind: TextKind): Span | undefined {
    if (isWordCode(text.charCodeAt(at - 1)) || text.charAt(at - 1) === '-') {
      const found = this.#inToken(text, at, from);
      if (found) return found;
    }
    const spaced = this.#as('SECRET', rangeTo(at - 3, endOfSpacedNino(text, at - 3)));
    if (spaced && spaced.start >= from) return spaced;
    const { end, count } = measureGroup(text, at);
    const isAddressLike =
      text.charCodeAt(at + 1) === 46 || text.charCodeAt(at + 2) === 46 || text.charCodeAt(at + 3) === 46;
    if (isAddressLike) {
      const found = this.#as('LOCATION', rangeTo(at, endOfIpv4(text, at)));
      if (found) return found;
    }
    if (kind === 'words') {
      if (text.indexOf(':', at) - at < 5) {
        const found = this.#as('LOCATION', findIpv6(text, at, from));
        if (found) return found;
      }
      const isHouse = endOfDigits(text, at) - at <= MAX_HOUSE_DIGITS && covers(this.#redaction, 'LOCATION');
      const address = isHouse ? findStreetAddress(text, at, from) : undefined;
      if (address) return this.#as('LOCATION', address);
    }
    return count >= MIN_DIGITS ? this.#atGroup(text, at, end, kind) : undefined;
  }

  /** Finds what begins with letters, and has its first digit here. */
  #inToken(text: string, at: number, from: number): Span | undefined {
    const start = startOfToken(text, at, from);
    if (start === at) return undefined;
    const financial = this.#as('FINANCIAL', rangeTo(start, endOfIban(text, start)));
    if (financial) return financial;
    const end = endOfKey(text, start) || endOfIdentity(text, start);
    return this.#as('SECRET', rangeTo(start, end));
  }

  #atGroup(text: string, at: number, end: number, kind: TextKind): Span | undefined {
    const identity = this.#as('SECRET', rangeTo(at, endOfIdentity(text, at)));
    if (identity) return identity;
    const before = text.charCodeAt(at - 1);
    // The digits may be part of a word or of an e-mail address.
    if (isWordCode(before) || isWordCode(text.charCodeAt(end)) || text.charAt(end) === '@') return undefined;
    const group = readGroup(text, at, end);
    if (isPaymentCard({ ...group, text: group.text.replace(/^[+(]+/, '') })) {
      const card = this.#as('FINANCIAL', { start: at, end });
      if (card) return card;
    }
    if (isNationalNumber(group)) {
      const found = this.#as('SECRET', group);
      if (found) return { start: group.start, end, entity: 'SECRET' };
    }
    if (kind === 'code' && !group.text.startsWith('+')) return undefined;
    if (!covers(this.#redaction, 'PHONE') || !this.#phones.is(group)) return undefined;
    EXTENSION.lastIndex = end;
    const extension = EXTENSION.exec(text)?.[0].length ?? 0;
    return { start: group.start, end: end + extension, entity: 'PHONE' };
  }

  /** Adds names where no other span is. */
  #withNames(text: string, spans: Span[], names: readonly string[]): Span[] {
    const found = findNames(text, names).map((range): Span => ({ ...range, entity: 'PERSON' }));
    const merged: Span[] = [];
    for (const span of [...spans, ...found].sort(
      (one, other) => one.start - other.start || other.end - one.end,
    ))
      if (span.start >= (merged.at(-1)?.end ?? 0)) merged.push(span);
    return merged;
  }
}

const rangeTo = (start: number, end: number): Range => (end > start ? { start, end } : undefined);

const MAX_TOKEN = 40;
const isTokenCode = (code: number) =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45;

/** Where the token of ASCII letters, digits, hyphens and underscores begins that a digit is in. */
function startOfToken(text: string, at: number, from: number): number {
  const limit = Math.max(from, at - MAX_TOKEN);
  let start = at;
  while (start > limit && isTokenCode(text.charCodeAt(start - 1))) start--;
  return start;
}

function endOfDigits(text: string, at: number): number {
  let end = at + 1;
  for (let code = text.charCodeAt(end); code >= 48 && code <= 57; code = text.charCodeAt(end)) end++;
  return end;
}

const IDENTITY = /[A-Z\d](?:[A-Z\d]|[-+.](?=[A-Z\d])){7,19}(?![A-Za-z\d])/y;

/** The position after digits in which nothing was found, and after all of a long row of numbers. */
function endOfNumbers(text: string, at: number): number {
  const { end, isCut } = measureGroup(text, at);
  return isCut ? end : endOfDigits(text, at);
}

/** Finds the number of a person with letters that begins at a position. @returns the position after it, or 0 */
function endOfIdentity(text: string, start: number): number {
  if (/[\w./=-]/.test(text.charAt(start - 1))) return 0;
  IDENTITY.lastIndex = start;
  const token = IDENTITY.exec(text)?.[0];
  return token !== undefined && isNationalToken(token) ? start + token.length : 0;
}
