/** The periods of a search from the shortest on, with their lengths in days. */
const PERIODS = [
  { letter: 'h', name: 'hour', days: 1 / 24 },
  { letter: 'd', name: 'day', days: 1 },
  { letter: 'w', name: 'week', days: 7 },
  { letter: 'm', name: 'month', days: 31 },
  { letter: 'y', name: 'year', days: 366 },
] as const;
/** A period in words, such as `last week`, `7d`, `past 3 days`, `week` or `monthly`. */
const WORDS =
  /^(?:(?:the|in|within|last|past|previous|this|qdr:?)[\s_-]*)*(\d{1,4})?[\s_-]*(h|hour|hourly|d|day|dai|daily|w|week|weekly|m|mo|month|monthly|y|year|yearly|annual)s?(?:[\s_-]+(?:ago|old))?$/;

/** The period that a text means, such as `last week`: the shortest that has all of it; undefined for other texts. */
function findPeriod(value: unknown): (typeof PERIODS)[number] | undefined {
  const text = typeof value === 'string' ? value.toLowerCase().trim() : '';
  if (/^(today|yesterday|recent|latest|new)$/.test(text)) return PERIODS[1];
  // Brave has `pd`, `pw`, `pm` and `py`.
  const [, amount = '1', unit = ''] = WORDS.exec(text.replace(/^p(?=[dwmy]$)/, '')) ?? [];
  const named = PERIODS.find(({ letter, name }) => letter === unit[0] || name === unit);
  if (!unit || !named) return undefined;
  const days = Number(amount) * named.days;
  return PERIODS.find((period) => period.days >= days) ?? PERIODS.at(-1);
}

/** A date, as the option `tbs` has it; undefined for other texts. */
function findDate(value: unknown): string | undefined {
  const [, year, month, day] = /^\s*(\d{4})-(\d\d)-(\d\d)/.exec(String(value)) ?? [];
  return year && `${Number(month)}/${Number(day)}/${year}`;
}

/** The value of `tbs` that a period in words means, or the first day of one; undefined for other texts. */
export function periodOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const date = findDate(value);
  if (date) return `cdr:1,cd_min:${date}`;
  const period = findPeriod(value);
  return period && `qdr:${period.letter}`;
}

/** Says how a search is limited to the time that a value means: a period such as `last month`, or a date. */
export function adviseOnPeriod(value: unknown): string {
  const date = typeof value === 'string' ? findDate(value) : undefined;
  if (date)
    return `Use tbs: "cdr:1,cd_min:${date}" for a first day, cd_max in place of cd_min for a last one, or both with a comma between them.`;
  const period = findPeriod(value);
  if (period) return `Use tbs: "qdr:${period.letter}", the last ${period.name}.`;
  return 'Use tbs: "qdr:w" for the last week; d is a day, m a month and y a year. For dates, use "cdr:1,cd_min:1/1/2026,cd_max:1/31/2026".';
}
