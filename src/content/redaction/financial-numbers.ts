import { luhnChecksumValidate, mod97base10Validate } from 'stdnum/lib/cjs/util/checksum.js';
import type { NumberGroup } from './numbers.ts';

/**
 * Beginnings and lengths of the numbers of payment cards: Visa, Mastercard, American Express, Discover, JCB,
 * Diners Club, UnionPay, Mir and Maestro.
 */
const CARD =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}|220[0-4]\d{12}|(?:50|6[37])\d{14})$/;
/** Groups of the digits of a card: fours, or four, six and five (four), or none. */
const CARD_GROUPS = /^(?:\d+|\d{4}([- ])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([- ])\d{6}\2\d{4,5})$/;
const REPEATED = /^(\d)\1+$/;

/** Whether digits are the number of a payment card: by beginning, length, groups and check digit (Luhn). */
export const isPaymentCard = ({ text, digits, before }: NumberGroup): boolean =>
  CARD.test(digits) &&
  CARD_GROUPS.test(text) &&
  !REPEATED.test(digits) &&
  !/[\w.=/&?-]$/.test(before) &&
  luhnChecksumValidate(digits);

/** Lengths of the numbers by country, from the IBAN registry of SWIFT. */
const IBAN_LENGTHS = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG DZ',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'FR GR IT MC MR SM BI DJ',
    28: 'AL AZ BY CY DO GT HU LB PL SV HN NI',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)])),
);
const IBAN_CHARACTERS = /[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z\d]){11,30}/y;

/**
 * Finds the IBAN that begins at a position, by its length and check digits (ISO 13616).
 * @returns the position after it, or 0
 */
export function endOfIban(text: string, start: number): number {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2));
  if (length === undefined) return 0;
  IBAN_CHARACTERS.lastIndex = start;
  const found = IBAN_CHARACTERS.exec(text)?.[0];
  if (found === undefined) return 0;
  let end = 0;
  for (let count = 0; end < found.length && count < length; end++) if (/[A-Z\d]/.test(found[end]!)) count++;
  const compact = found.slice(0, end).replace(/[^A-Z\d]/g, '');
  if (compact.length !== length || /[A-Z\d]/i.test(text[start + end] ?? '')) return 0;
  return mod97base10Validate(compact.slice(4) + compact.slice(0, 4)) ? start + end : 0;
}
