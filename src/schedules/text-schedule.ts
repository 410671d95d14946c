const EVERY_MINUTES = /^every (\d{1,4}) minutes?(?: starting at :(\d{2}))?$/;
const EVERY_HOURS = /^every (\d{1,2}) hours?$/;
const DAILY = /^(?:daily|every day)(?: at (\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/;
const WEEKLY =
  /^(?:weekly|every (?:week|(?<day>sun|mon|tues|wednes|thurs|fri|satur)day))(?: at (?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>am|pm)?)?$/;
const DAYS = ['sun', 'mon', 'tues', 'wednes', 'thurs', 'fri', 'satur'];
const NAMED: Readonly<Record<string, string>> = {
  hourly: '0 * * * *',
  'every hour': '0 * * * *',
  'every minute': '* * * * *',
};
const MONDAY = 1;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** What a text schedule may say, for messages. */
export const TEXT_SCHEDULES =
  '"every 30 minutes", "every 15 minutes starting at :07", "hourly", "every 6 hours", "daily", "daily at 9:00", "daily at 5:30 PM", "weekly" or "every monday at 9am"';

/**
 * Converts a schedule in words to a cron expression.
 * @returns the expression, or a clause that says why there is none
 */
export function cronOfText(text: string): { cron: string } | { fault: string } {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const named = NAMED[words];
  if (named !== undefined) return { cron: named };
  const minutes = EVERY_MINUTES.exec(words);
  if (minutes) return everyMinutes(Number(minutes[1]), minutes[2] === undefined ? 0 : Number(minutes[2]));
  const hours = EVERY_HOURS.exec(words);
  if (hours) return everyHours(Number(hours[1]), 0);
  const daily = DAILY.exec(words);
  if (daily) return atTime(daily.slice(1), '* * *');
  const { groups: weekly } = WEEKLY.exec(words) ?? {};
  if (weekly) {
    const day = weekly.day === undefined ? MONDAY : DAYS.indexOf(weekly.day);
    return atTime([weekly.hour, weekly.minute, weekly.half], `* * ${day}`);
  }
  return { fault: `is not a schedule. Write ${TEXT_SCHEDULES}, or send cron` };
}

/** A cron expression cannot have an interval that does not divide the hour. */
function everyMinutes(minutes: number, start: number): { cron: string } | { fault: string } {
  if (start >= HOUR_MINUTES) return { fault: 'starts at a minute that no hour has; :00 to :59 are possible' };
  if (minutes >= HOUR_MINUTES && minutes % HOUR_MINUTES === 0)
    return everyHours(minutes / HOUR_MINUTES, start);
  if (minutes === 0 || HOUR_MINUTES % minutes !== 0)
    return {
      fault: 'has an interval that does not divide an hour: use 5, 6, 10, 12, 15, 20 or 30 minutes, or hours',
    };
  const first = start % minutes;
  return { cron: first === 0 ? `*/${minutes} * * * *` : `${first}-59/${minutes} * * * *` };
}

function everyHours(hours: number, minute: number): { cron: string } | { fault: string } {
  if (hours === 0 || DAY_HOURS % hours !== 0)
    return { fault: 'has an interval that does not divide a day: use 1, 2, 3, 4, 6, 8, 12 or 24 hours' };
  const field = hours === 1 ? '*' : hours === DAY_HOURS ? '0' : `*/${hours}`;
  return { cron: `${minute} ${field} * * *` };
}

/** @param time hour, minute, and `am` or `pm`; midnight without an hour */
function atTime(
  [hour = '0', minute = '0', half]: (string | undefined)[],
  days: string,
): { cron: string } | { fault: string } {
  const isTwelveHours = half !== undefined;
  const given = Number(hour);
  const isHour = isTwelveHours ? given >= 1 && given <= 12 : given < DAY_HOURS;
  if (!isHour || Number(minute) >= HOUR_MINUTES) return { fault: 'has a time that no day has' };
  const hours = isTwelveHours ? (given % 12) + (half === 'pm' ? 12 : 0) : given;
  return { cron: `${Number(minute)} ${hours} ${days}` };
}
