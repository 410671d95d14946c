/** Month names in a language and in English, in lower case. */
function monthNames(language: string): string[][] {
  const names = (tag: string, month: 'long' | 'short') => {
    const format = new Intl.DateTimeFormat(tag, { month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, at) =>
      format
        .format(Date.UTC(2024, at, 15))
        .toLowerCase()
        .replace('.', ''),
    );
  };
  const tags = ['en', ...Intl.DateTimeFormat.supportedLocalesOf(isLanguageTag(language) ? language : 'en')];
  const lists = tags.flatMap((tag) => [names(tag, 'long'), names(tag, 'short')]);
  return Array.from({ length: 12 }, (_, at) => lists.map((list) => list[at]!));
}

function isLanguageTag(language: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language);
}

/**
 * Parses a date as `2024-01-31` from ISO notation, `31.1.2024`, or a month name in the given language or
 * English; `undefined` where the date is ambiguous.
 */
export function parseDate(text: string, language: string): string | undefined {
  const short = text.trim().slice(0, 100);
  const iso = /(?<!\d)(\d{4})[-/](\d\d?)[-/](\d\d?)(?!\d)/.exec(short);
  if (iso) return isoDate(iso[1]!, iso[2]!, iso[3]!);
  const cjk = /(\d{4})\s*年\s*(\d\d?)\s*月\s*(\d\d?)\s*日/.exec(short);
  if (cjk) return isoDate(cjk[1]!, cjk[2]!, cjk[3]!);
  const numeric = /(?<!\d)(\d\d?)([./-])\s?(\d\d?)[./-]\s?(\d{4})(?!\d)/.exec(short);
  if (numeric) return parseNumericDate(numeric);
  const year = /(?<!\d)\d{4}(?!\d)/.exec(short)?.[0];
  const day = /(?<!\d)\d\d?(?=(?:st|nd|rd|th|º|er)?(?!\d))/.exec(short)?.[0];
  const words = new Set(short.toLowerCase().split(/[^\p{L}\p{M}]+/u));
  const month = monthNames(language).findIndex((names) => names.some((name) => words.has(name)));
  return year && day && month >= 0 ? isoDate(year, String(month + 1), day) : undefined;
}

/**
 * With dots the day comes first. With other separators the order is only clear when one number is too large
 * for a month.
 */
function parseNumericDate([, first = '', sign, second = '', year = '']: RegExpExecArray): string | undefined {
  if (sign === '.' || Number(first) > 12) return isoDate(year, second, first);
  return Number(second) > 12 ? isoDate(year, first, second) : undefined;
}

function isoDate(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : undefined;
}
