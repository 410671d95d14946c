import { Cron } from 'croner';

/** When something recurs: a cron expression of five fields, in the local time of a time zone (IANA). */
export interface Recurrence {
  cron: string;
  timezone: string;
}

/** The shortest time between two runs, in minutes. */
export const MIN_INTERVAL_MINUTES = 5;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;
const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;
/** What all implementations of cron agree on; not `L`, `W`, `#` and `?`. */
const VALUE = String.raw`(?:\d{1,2}|[A-Za-z]{3})`;
const ITEM = String.raw`(?:\*|${VALUE}(?:-${VALUE})?)(?:/\d{1,2})?`;
const FIELD = new RegExp(`^${ITEM}(?:,${ITEM})*$`);
/** The most characters of an expression. */
const MAX_CHARACTERS = 200;

const open = ({ cron, timezone }: Recurrence) => new Cron(cron, { timezone, paused: true, mode: '5-part' });

/** Whether a name is that of a time zone, such as `Europe/Berlin`. */
export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The time zone of a city or of another last part of a name, such as `Berlin`; undefined if there is none. */
export function timezoneOf(place: string): string | undefined {
  const plain = place.trim().replace(/\s+/g, '_').toLowerCase();
  return Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().endsWith(`/${plain}`));
}

/**
 * Says why a recurrence cannot be used; `undefined` if it can.
 * @param recurrence.timezone a valid one, see {@link isTimezone}
 */
export function faultOfRecurrence({ cron, timezone }: Recurrence): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (cron.length > MAX_CHARACTERS || fields.length !== 5 || !fields.every((field) => FIELD.test(field)))
    return 'is not a cron expression of five fields (minute, hour, day of the month, month, day of the week), such as "0 9 * * 1-5"';
  try {
    if (!open({ cron, timezone }).nextRun()) return 'never comes, such as the 30th of February';
  } catch (error) {
    return `is not a cron expression: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'it cannot be read'}`;
  }
  const gap = shortestGap(cron);
  return gap < MIN_INTERVAL_MINUTES
    ? `runs again after ${gap} ${gap === 1 ? 'minute' : 'minutes'}; at least ${MIN_INTERVAL_MINUTES} minutes must lie between two runs`
    : undefined;
}

/** The values of the field of a valid expression for minutes or hours, in order. @param count 60 or 24 */
function valuesOf(field: string, count: number): number[] {
  const values = new Set<number>();
  for (const item of field.split(',')) {
    const [range = '', step = '1'] = item.split('/');
    const [first, last = first] = range === '*' ? [0, count - 1] : range.split('-').map(Number);
    for (let value = first!; value <= last!; value += Number(step)) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

/** The minutes and hours of a valid expression. */
function timesOf(cron: string): { minutes: number[]; hours: number[] } {
  const [minute = '*', hour = '*'] = cron.trim().split(/\s+/);
  return { minutes: valuesOf(minute, HOUR_MINUTES), hours: valuesOf(hour, DAY_HOURS) };
}

/** The fewest minutes between two runs on the same day, or around midnight. */
function shortestGap(cron: string): number {
  const { minutes, hours } = timesOf(cron);
  const gaps = minutes.slice(1).map((minute, index) => minute - minutes[index]!);
  const hasNeighbours = hours.some((hour) => hours.includes((hour + 1) % DAY_HOURS));
  if (hasNeighbours) gaps.push(HOUR_MINUTES - minutes.at(-1)! + minutes[0]!);
  return Math.min(...gaps, HOUR_MINUTES);
}

/** Calculates when a recurrence comes next after a time; `undefined` if it does not come again. */
export const nextRunAfter = (recurrence: Recurrence, after = new Date()): Date | undefined =>
  open(recurrence).nextRun(after) ?? undefined;

/** Estimates how often a recurrence comes within the next 30 days. */
export function countRunsPerMonth({ cron, timezone }: Recurrence): number {
  const [, , ...days] = cron.trim().split(/\s+/);
  const daily = open({ cron: ['0', '0', ...days].join(' '), timezone });
  const now = Date.now();
  const runs = daily.nextRuns(MONTH_DAYS, new Date(now));
  const dayCount = runs.filter((run) => run.getTime() - now <= MONTH_DAYS * DAY_MS).length;
  const { minutes, hours } = timesOf(cron);
  return dayCount * minutes.length * hours.length;
}

/**
 * The expressions whose times together are those of a cron expression, for schedulers that want the day of the
 * month and that of the week to fit both. In cron, one of them is enough if both are given.
 */
export function splitDays(cron: string): string[] {
  const [minute, hour, day = '*', month, weekday = '*'] = cron.trim().split(/\s+/);
  if (day.startsWith('*') || weekday.startsWith('*')) return [[minute, hour, day, month, weekday].join(' ')];
  return [[minute, hour, day, month, '*'].join(' '), [minute, hour, '*', month, weekday].join(' ')];
}
