/** Digits of a text with what may be between the digits of one number. */
export interface NumberGroup {
  /** The first character: a digit, `+` or an opening bracket. */
  start: number;
  /** The position after the last digit. */
  end: number;
  text: string;
  digits: string;
  /** What is before the group, without line breaks, in lower case. */
  before: string;
  /** What is behind it on the same line. */
  after: string;
}

/** The most characters of a group. A longer one is read in parts. */
const MAX_GROUP = 40;
const CONTEXT = 40;
const AFTER = 12;

/** Whether a character is one of the digits of ASCII. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** The first character of scripts without spaces between words. */
const FIRST_CJK = 0x2e80;
/**
 * Whether a character is part of a word with spaces around it. Outside of ASCII all count as letters, except
 * those of scripts without spaces.
 */
export const isWordCode = (code: number): boolean =>
  isDigit(code) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  (code > 0xbf && code < 0x2000) ||
  (code > 0x206f && code < FIRST_CJK);

/** White space within a line, hyphens, dots, slashes and brackets. */
const isSeparator = (code: number) =>
  code === 32 ||
  code === 0xa0 ||
  code === 0x202f ||
  code === 0x2009 ||
  (code >= 0x2010 && code <= 0x2013) ||
  code === 45 ||
  code === 46 ||
  code === 47 ||
  code === 40 ||
  code === 41;

/** The character codes of `+` and `(`. */
const PLUS = 43;
const BRACKET = 40;

/** Where a group begins whose first digit is known. */
function startOf(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  if (before === PLUS) return text.charCodeAt(at - 2) === BRACKET ? at - 2 : at - 1;
  return before === BRACKET ? at - 1 : at;
}

/** The most separators between two digits, as in `(0) - 30`. */
const MAX_SEPARATORS = 3;
const SPACE = 32;

/**
 * Returns the position after the last digit of the group, the number of its digits, and whether more may
 * follow that are not read. Two spaces separate numbers.
 */
export function measureGroup(text: string, at: number): { end: number; count: number; isCut: boolean } {
  let end = at;
  let count = 0;
  const limit = Math.min(text.length, at + MAX_GROUP);
  for (let index = at, separators = 0; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) {
      count++;
      separators = 0;
      end = index + 1;
    } else if (
      !isSeparator(code) ||
      ++separators > MAX_SEPARATORS ||
      (code === SPACE && text.charCodeAt(index - 1) === SPACE)
    )
      return { end, count, isCut: false };
  }
  return { end, count, isCut: limit < text.length };
}

/** Reads the group of digits that begins at a position. */
export function readGroup(text: string, at: number, end: number): NumberGroup {
  const start = startOf(text, at);
  const own = text.slice(start, end);
  return {
    start,
    end,
    text: own,
    digits: own.replace(/\D/g, ''),
    before: text
      .slice(Math.max(0, start - CONTEXT), start)
      .replace(/\s+/g, ' ')
      .toLowerCase(),
    after: text.slice(end, end + AFTER),
  };
}

/** Words before a number that say that it is neither a telephone number nor a number of a person. */
const OTHER_NUMBER =
  /(?:isbn|issn|doi|order|bestell\p{L}*|artikel\p{L}*|auftrag\p{L}*|commande|pedido|ordine|encomenda|zamówieni\p{L}*|item|sku|ref|reference|referenz|siren|siret|p\.?\s?iva|partita iva|nipc?|regon|krs|cnpj|cep|kvk|ust-?idnr|vat|org(?:anisation)?s?n\p{L}*|kundennummer|kundennr|invoice|rechnung\p{L}*|facture|factura|fattura|faktura|version|build|ean|gtin|upc|serial|serie\p{L}*|lot|batch|tracking|ticket|case|pmid|rfc|patent|commit|model|part|art|hrb|\bv|№|#)(?:[-\s]?(?:no|nr|number|nummer|num|id|code|numer|n°|nº))?[\s.:#№°º-]*$/u;
/** Signs of currency before a number, and units behind it. */
const CURRENCY_BEFORE = /(?:[$€£¥₽₹₩]|\b(?:usd|eur|gbp|chf|jpy|pln|sek|brl|kr|zł|r\$))\s*-?$/u;
const UNIT_AFTER =
  /^\s?(?:[$€£¥₽₹₩%°]|(?:usd|eur|euros?|gbp|chf|dollars?|pln|zł|sek|kr|px|em|ms|kg|km|cm|mm|m²|mb|gb|kb|bytes?|million|mio|円|年|人)(?![\p{L}\d]))/iu;
const DATE =
  /^(?:(?:1[5-9]|20)\d{2}[-./](?:0?[1-9]|1[0-2])[-./](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:19|20)\d{2}|(?:0?[1-9]|1[0-2])[-./](?:0?[1-9]|[12]\d|3[01])[-./](?:19|20)\d{2})(?:\D|$)/;
const YEARS = /^(?:1\d|20)\d{2}\s?[-–/]\s?(?:1\d|20)\d{2}$/;
const DECIMAL = /^\d{1,4}\.\d{4,}$|^\d+\.\d+$/;
const ISBN = /^97[89][- ]?\d[-\d ]{8,14}$/;

/** Whether a group is something else: a date, years, a decimal, a price, or a number with another label. */
export const isOtherNumber = ({ text, before, after }: NumberGroup): boolean =>
  DATE.test(text) ||
  YEARS.test(text) ||
  DECIMAL.test(text) ||
  ISBN.test(text) ||
  /[\d.,:/=&?_-]$/.test(before) ||
  CURRENCY_BEFORE.test(before) ||
  UNIT_AFTER.test(after) ||
  OTHER_NUMBER.test(before);
