const PERIODS: Readonly<Record<string, string>> = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' };

/** Says how a search is limited to the time that a value means: a period such as `last month`, or a date. */
export function adviseOnPeriod(value: unknown): string {
  const text = typeof value === 'string' ? value.toLowerCase().trim() : '';
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (year)
    return `Use tbs: "cdr:1,cd_min:${Number(month)}/${Number(day)}/${year}" for a first day, cd_max in place of cd_min for a last one, or both with a comma between them.`;
  const short = /^\d*([hdwmy])$/.exec(text)?.[1];
  const letter = short ?? Object.keys(PERIODS).find((each) => text.includes(PERIODS[each]!));
  if (letter) return `Use tbs: "qdr:${letter}", the last ${PERIODS[letter]}.`;
  return 'Use tbs: "qdr:w" for the last week; d is a day, m a month and y a year. For dates, use "cdr:1,cd_min:1/1/2026,cd_max:1/31/2026".';
}
