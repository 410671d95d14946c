const NUMBER = /[-−]?\d(?:[\d.,'’\u00a0\u202f ]*\d)?/g;
/** The scale after a rating, as in `4.5 out of 5` and `4,5/5`; it is not the number. */
const RATING_SCALE = /\s*(?:\/|out of|von|sur|de|of)\s*\d+(?:[.,]0)?\b/i;
const CURRENCIES: [RegExp, string][] = [
  [/€|\bEUR\b/, 'EUR'],
  [/£|\bGBP\b/, 'GBP'],
  [/\bUSD\b|US\$/, 'USD'],
  [/\bCHF\b/, 'CHF'],
  [/\bJPY\b|円/, 'JPY'],
  [/₹|\bINR\b/, 'INR'],
  [/₩|\bKRW\b/, 'KRW'],
  [/₽|\bRUB\b/, 'RUB'],
  [/₺|\bTRY\b/, 'TRY'],
  [/zł|\bPLN\b/, 'PLN'],
];

/**
 * Parses the only number of a text such as `$1,299.00`, `1.299,00 €` or `4.5 out of 5`; `undefined` without a
 * number, and where several make it ambiguous.
 * @param language of the page; decides whether `1.299` has a decimal point or a thousands separator
 */
export function parseSingleNumber(text: string, language: string): number | undefined {
  if (/^[-+]?\d+(?:\.\d+)?$/.test(text.trim()) && !/^\d{1,3}\.\d{3}$/.test(text.trim())) return Number(text);
  const found = text.replace(RATING_SCALE, '').match(NUMBER);
  const distinct = [...new Set(found)];
  return distinct.length === 1 ? toNumber(distinct[0]!, decimalSeparator(language)) : undefined;
}

/**
 * The ISO 4217 code of an amount with a currency; `undefined` for `$` alone, which several currencies share.
 */
export const detectCurrency = (text: string): string | undefined =>
  CURRENCIES.find(([sign]) => sign.test(text))?.[1];

/** Whether a short text is an amount of money. */
export const isPriceText = (text: string) =>
  text.length <= 40 && /\d/.test(text) && /\p{Sc}|円|zł|\b(?:EUR|USD|GBP|CHF|JPY|PLN)\b/u.test(text);

function decimalSeparator(language: string): string {
  try {
    return (
      new Intl.NumberFormat(language || 'en').formatToParts(1.5).find(({ type }) => type === 'decimal')
        ?.value ?? '.'
    );
  } catch {
    // The page's language is not a valid tag.
    return '.';
  }
}

function toNumber(text: string, decimal: string): number | undefined {
  const digits = text.replace(/[\s'’\u00a0\u202f]/g, '').replace('−', '-');
  const [comma, point] = [digits.lastIndexOf(','), digits.lastIndexOf('.')];
  let sign = comma > point ? ',' : '.';
  const parts = digits.split(sign);
  const isGroup =
    parts.length > 2 || (parts.length === 2 && parts[1]!.length === 3 && /^-?\d{1,3}$/.test(parts[0]!));
  // One separator followed by three digits is ambiguous, so the language decides; two different separators
  // are not.
  const isDecimal =
    comma >= 0 && point >= 0 ? parts.length === 2 : !isGroup || (parts.length === 2 && sign === decimal);
  if (!isDecimal) sign = '';
  const plain = [...digits]
    .filter((each) => /[-\d]/.test(each) || each === sign)
    .join('')
    .replace(',', '.');
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}
