import { MIN_INTERVAL_MINUTES } from '../../schedules/recurrence.ts';
import { cronOfText } from '../../schedules/text-schedule.ts';

/** The units of an interval, by their first letters, as the texts of schedules have them. */
const INTERVAL = /^(?:every\s*)?(\d{1,6})?\s*(s|sec|m|min|minute|h|hr|hour|d|day|w|week)[a-z]*$/;
const FIVE_FIELDS = /^\S+(?:\s+\S+){4}$/;
const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440, w: 10_080 };

/** How often in an hour, a day or a week: `twice a day`, `4 times per hour`. */
const TIMES = /^(once|twice|thrice|\d{1,3}\s*(?:times|x))\s*(?:a|an|per|every|each|\/)\s*(hour|day|week)$/;
const TIMES_IN_WORDS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 };
const TIME = /\b(\d{1,2})(?::(\d\d))?\s*(am|pm)?$/;

/** Words for days that no text of a schedule has, with the cron expression for them. */
const CRON_OF_WORDS: readonly (readonly [RegExp, (time: readonly (string | undefined)[]) => string])[] = [
  [/^(every )?(weekday|workday|business day)s?\b/, (time) => `${cronTime(time)} * * 1-5`],
  [/^(every )?weekends?\b/, (time) => `${cronTime(time)} * * 0,6`],
  [/^(monthly|every month)\b/, (time) => `${cronTime(time)} 1 * *`],
];

/** Minute and hour of a cron expression; nine o'clock where none is told. */
function cronTime([, hour = '9', minute = '0', half]: readonly (string | undefined)[]): string {
  const hours = half ? (Number(hour) % 12) + (half === 'pm' ? 12 : 0) : Number(hour);
  return `${Number(minute)} ${hours}`;
}

/** Intervals that have a word of their own, by their minutes. */
const NAMED: Readonly<Record<number, readonly string[]>> = {
  60: ['hourly'],
  1440: ['daily'],
  10080: ['weekly'],
};

/**
 * The schedule of a monitor that other tools have as a number of minutes, a duration such as `6h`, or a macro of cron
 * such as `@daily`.
 * @returns the object; undefined for what is no schedule here under any name
 */
export function scheduleOf(value: unknown): { text: string } | { cron: string } | undefined {
  if (typeof value === 'number') return textOf(`every ${value} minutes`);
  if (typeof value !== 'string') return undefined;
  const words = value.trim().toLowerCase().replace(/^@/, '');
  if (FIVE_FIELDS.test(words) && /[*\d]/.test(words) && !/[a-z]{4}/.test(words))
    return { cron: value.trim() };
  // Some have seconds in front, a year at the end, and question marks for days that do not matter.
  const withoutSeconds = words
    .replace(/^0 (.*?)(?: \*)?$/, (whole, rest: string) => (FIVE_FIELDS.test(rest) ? rest : whole))
    .replaceAll('?', '*');
  if (FIVE_FIELDS.test(withoutSeconds) && withoutSeconds !== words) return { cron: withoutSeconds };
  if (/^\d{1,2}:\d\d$/.test(words)) return textOf(`daily at ${words}`);
  const named = CRON_OF_WORDS.find(([pattern]) => pattern.test(words));
  if (named) return { cron: named[1](TIME.exec(words) ?? []) };
  const [, times, period = ''] = TIMES.exec(words) ?? [];
  if (times) {
    const count = TIMES_IN_WORDS[times] ?? Number.parseInt(times, 10);
    const each = Math.round(((period === 'hour' ? 60 : 1440) * (period === 'week' ? 7 : 1)) / count);
    return scheduleOf(each % 60 ? `${each}m` : `${each / 60}h`);
  }
  const [, amount = '1', unit = ''] = INTERVAL.exec(words) ?? [];
  const wanted = Math.ceil(Number(amount) * (MINUTES[unit.charAt(0)] ?? 0));
  const minutes = wanted && Math.max(wanted, MIN_INTERVAL_MINUTES);
  const texts = [words, minutes % 60 ? `every ${minutes} minutes` : `every ${minutes / 60} hours`];
  const special = NAMED[minutes] ?? [];
  return [...special, ...texts].map(textOf).find((each) => each !== undefined);
}

const textOf = (text: string) => ('cron' in cronOfText(text) ? { text } : undefined);
