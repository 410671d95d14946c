import { cronOfText } from '../../schedules/text-schedule.ts';

/** The units of an interval, by their first letters, as the texts of schedules have them. */
const INTERVAL = /^(?:every\s*)?(\d{1,6})?\s*(s|sec|m|min|minute|h|hr|hour|d|day|w|week)[a-z]*$/;
const FIVE_FIELDS = /^\S+(?:\s+\S+){4}$/;
const MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440, w: 10_080 };

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
  // Some have seconds in front.
  const withoutSeconds = words.replace(/^0 /, '');
  if (FIVE_FIELDS.test(withoutSeconds) && withoutSeconds !== words) return { cron: withoutSeconds };
  if (/^\d{1,2}:\d\d$/.test(words)) return textOf(`daily at ${words}`);
  const [, amount = '1', unit = ''] = INTERVAL.exec(words) ?? [];
  const minutes = Math.ceil(Number(amount) * (MINUTES[unit.charAt(0)] ?? 0));
  const texts = [words, minutes % 60 ? `every ${minutes} minutes` : `every ${minutes / 60} hours`];
  const special = NAMED[minutes] ?? [];
  return [...special, ...texts].map(textOf).find((each) => each !== undefined);
}

const textOf = (text: string) => ('cron' in cronOfText(text) ? { text } : undefined);
