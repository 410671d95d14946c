import { SSF as untyped } from '@e965/xlsx';
import { displaySpecial, isSpecialFormat } from './special-formats.ts';

/** The parts of SheetJS's formatter that are used here; its declarations have no types for them. */
interface Formatter {
  /** @throws for a format that it does not know */
  format(format: string, value: number, options: { date1904: boolean }): string;
  /** The date of a number of days; `null` for numbers that are none. */
  parse_date_code(value: number, options: { date1904: boolean }): CalendarDate | null;
}

interface CalendarDate {
  y: number;
  m: number;
  d: number;
}

const SSF: Formatter = untyped;

/** How a number of a workbook is to be displayed. */
export interface NumberDisplay {
  /** Number format (ECMA-376-1, 18.8.31), such as `dd.mm.yyyy`. */
  format: string;
  /** Whether days are counted from 1904. */
  is1904: boolean;
}

/**
 * Quoted text, an escaped, padding or repeated character, a condition or locale, a word of the format, or one
 * character.
 */
const TOKEN = /"[^"]*"|[\\_*][\s\S]|\[[^\]]*\]|General|AM\/PM|A\/P|E[+-]|[\s\S]/giu;
const LOCALE = /^\[\$-([^\]]+)\]$/;

/**
 * The languages of Windows whose names of months and days are written, by the lower ten bits of their locale
 * identifiers.
 */
const LANGUAGES: Record<number, string> = {
  2: 'bg',
  3: 'ca',
  5: 'cs',
  6: 'da',
  7: 'de',
  8: 'el',
  10: 'es',
  11: 'fi',
  12: 'fr',
  14: 'hu',
  16: 'it',
  19: 'nl',
  20: 'nb',
  21: 'pl',
  22: 'pt',
  24: 'ro',
  25: 'ru',
  26: 'hr',
  27: 'sk',
  29: 'sv',
  31: 'tr',
  34: 'uk',
  36: 'sl',
  37: 'et',
  38: 'lv',
  39: 'lt',
};

/**
 * Writes a number as its format displays it. SheetJS refuses formats with characters that programs display
 * although they are not quoted, such as the dots of `dd.mm.yyyy` and the sign of `0.0 %`, and writes the
 * names of months and days in English only.
 * @returns undefined if the format cannot be understood
 */
export function displayNumber(value: number, { format, is1904 }: NumberDisplay): string | undefined {
  const options = { date1904: is1904 };
  if (isSpecialFormat(format)) {
    const special = displaySpecial(value, format, {
      format: (each, number) => displayNumber(number, { format: each, is1904 }),
      dateOf: (number) => SSF.parse_date_code(number, options) ?? undefined,
    });
    if (special !== undefined) return special;
  }
  const plain = hasLocalNames(format) ? undefined : tryFormat(format, value, options);
  if (plain !== undefined) return plain;
  const date = SSF.parse_date_code(value, options);
  const sections = splitSections(format).map((tokens) =>
    isDate(tokens) ? quoteDate(tokens, date) : quoteNumber(tokens),
  );
  const factor = 100 ** (sections[0]?.percentSigns ?? 0);
  return tryFormat(sections.map(({ text }) => text).join(';'), value * factor, options);
}

/** @returns undefined for a format that SheetJS refuses */
function tryFormat(format: string, value: number, options: { date1904: boolean }): string | undefined {
  try {
    return SSF.format(format, value, options).trim();
  } catch {
    // SheetJS throws for formats that it does not know.
    return undefined;
  }
}

/** Whether SheetJS writes numbers in a format, but not as programs display them. */
export const isMisread = (format: string): boolean => hasLocalNames(format) || isSpecialFormat(format);

/** Whether a format names months or days in words of its own language. */
const hasLocalNames = (format: string): boolean => /\[\$-/.test(format) && /m{3}|d{3}/i.test(format);

/** The tokens of each section: for positive numbers, negative ones, zero and text. */
function splitSections(format: string): string[][] {
  const sections: string[][] = [[]];
  for (const token of format.match(TOKEN) ?? [])
    if (token === ';') sections.push([]);
    else sections.at(-1)?.push(token);
  return sections;
}

/** A section has either placeholders of digits or letters of a date, apart from the fractions of seconds. */
function isDate(tokens: readonly string[]): boolean {
  const letters = tokens.filter(({ length }) => length === 1).join('');
  return /[ymdhs]/i.test(letters) && !/[0#?]/.test(letters.replace(/s\.0+/gi, ''));
}

interface QuotedSection {
  text: string;
  /** Number of signs that multiply the value by 100; they are quoted. */
  percentSigns: number;
}

function quoteDate(tokens: readonly string[], date: CalendarDate | null): QuotedSection {
  const locale = tokens.map((token) => LOCALE.exec(token)?.[1]).find(Boolean);
  const language = locale && languageOf(locale);
  const kept = tokens.filter((token) => !LOCALE.test(token) || !language).join('');
  // Fractions of seconds are the only dots that are not text.
  const quoted = kept.replace(
    /("[^"]*"|\\.|\[[^\]]*\]|s\.0+|上午\/下午)|([.TZ]|[^\p{ASCII}])/giu,
    (_, known, character) => (character ? quote(character) : known),
  );
  const text = language && date ? withLocalNames(quoted, date, language) : quoted;
  return { text, percentSigns: 0 };
}

/** @param locale a locale identifier of Windows in hexadecimal digits, or a language tag */
function languageOf(locale: string): string | undefined {
  if (/^[0-9a-f]{3,8}$/i.test(locale)) return LANGUAGES[Number.parseInt(locale, 16) & 0x3ff];
  const language = locale.split('-')[0]?.toLowerCase();
  return Object.values(LANGUAGES).find((known) => known === language);
}

/** Replaces the letters for names of months and days by these names, in quotes. */
function withLocalNames(format: string, { y, m, d }: CalendarDate, language: string): string {
  const date = new Date(Date.UTC(y, m - 1, d));
  const hasDay = /(^|[^d])d{1,2}([^d]|$)/i.test(format);
  const name = (part: 'month' | 'weekday', style: 'long' | 'short') =>
    new Intl.DateTimeFormat(language, {
      [part]: style,
      timeZone: 'UTC',
      // Some languages have another form of the month beside a day.
      ...(part === 'month' && hasDay && { day: 'numeric' }),
    })
      .formatToParts(date)
      .find(({ type }) => type === part)?.value ?? '';
  return format.replace(/"[^"]*"|\\.|m{3,4}(?!m)|d{3,4}/gi, (letters) => {
    if (!/^[md]/i.test(letters)) return letters;
    return quote(name(/^m/i.test(letters) ? 'month' : 'weekday', letters.length === 4 ? 'long' : 'short'));
  });
}

/** In a section with placeholders of digits, all other letters and signs are text. */
function quoteNumber(tokens: readonly string[]): QuotedSection {
  let percentSigns = 0;
  const quoted = tokens.map((token) => {
    if (token === '%') percentSigns++;
    const isKnown = token.length > 1 || /[0#?.,/@ ()+$-]/.test(token);
    return isKnown ? token : quote(token);
  });
  return { text: quoted.join(''), percentSigns };
}

const quote = (text: string) => `"${text}"`;
