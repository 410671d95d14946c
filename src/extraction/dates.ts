/** The names of months in a language and in English, in lower case. */
function monthsOf(language: string): string[][] {
  const names = (tag: string, month: 'long' | 'short') => {
    const format = new Intl.DateTimeFormat(tag, { month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, at) =>
      format
        .format(Date.UTC(2024, at, 15))
        .toLowerCase()
        .replace('.', ''),
    );
  };
  const tags = ['en', ...Intl.DateTimeFormat.supportedLocalesOf(isTag(language) ? language : 'en')];
  const lists = tags.flatMap((tag) => [names(tag, 'long'), names(tag, 'short')]);
  return Array.from({ length: 12 }, (_, at) => lists.map((list) => list[at]!));
}

function isTag(language: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language);
}

/**
 * The day that a text names, as `2024-01-31`: ISO, `31.1.2024`, or with the month in words of the language or English;
 * `undefined` for what can be read in two ways.
 */
export function dateIn(text: string, language: string): string | undefined {
  const short = text.trim().slice(0, 100);
  const iso = /(?<!\d)(\d{4})[-/](\d\d?)[-/](\d\d?)(?!\d)/.exec(short);
  if (iso) return isoDate(iso[1]!, iso[2]!, iso[3]!);
  const cjk = /(\d{4})\s*年\s*(\d\d?)\s*月\s*(\d\d?)\s*日/.exec(short);
  if (cjk) return isoDate(cjk[1]!, cjk[2]!, cjk[3]!);
  const numeric = /(?<!\d)(\d\d?)([./-])\s?(\d\d?)[./-]\s?(\d{4})(?!\d)/.exec(short);
  if (numeric) return fromNumbers(numeric);
  const year = /(?<!\d)\d{4}(?!\d)/.exec(short)?.[0];
  const day = /(?<!\d)\d\d?(?=(?:st|nd|rd|th|º|er)?(?!\d))/.exec(short)?.[0];
  const words = new Set(short.toLowerCase().split(/[^\p{L}\p{M}]+/u));
  const month = monthsOf(language).findIndex((names) => names.some((name) => words.has(name)));
  return year && day && month >= 0 ? isoDate(year, String(month + 1), day) : undefined;
}

/** Dots part days from months; with other signs the day may come second, unless it is too large for a month. */
function fromNumbers([, first = '', sign, second = '', year = '']: RegExpExecArray): string | undefined {
  if (sign === '.' || Number(first) > 12) return isoDate(year, second, first);
  return Number(second) > 12 ? isoDate(year, first, second) : undefined;
}

function isoDate(year: string, month: string, day: string): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? date : undefined;
}
