import { z } from 'zod';
import { quote } from '../errors.ts';
import { exactlyOne, withKeywords } from '../json/schema-keywords.ts';
import { faultOfRecurrence, isTimezone, type Recurrence, timezoneOf } from '../schedules/recurrence.ts';
import { cronOfText, TEXT_SCHEDULES } from '../schedules/text-schedule.ts';

const MAX_CHARACTERS = 200;

const timezone = withKeywords(
  z
    .string()
    .max(MAX_CHARACTERS)
    .refine(isTimezone, {
      error: ({ input }) =>
        `${quote(String(input))} is not a time zone. Write a name of the IANA database, such as ${timezoneOf(String(input)) ?? 'Europe/Berlin or UTC'}`,
    }),
  { examples: ['UTC', 'Europe/Berlin'] },
);

/** When a monitor is checked. Its output is always a cron expression. */
export const monitorSchedule = withKeywords(
  z
    .strictObject({
      cron: withKeywords(z.string().max(MAX_CHARACTERS).optional(), { examples: ['*/30 * * * *'] }).describe(
        'cron expression of five fields; at least five minutes must lie between two runs',
      ),
      text: withKeywords(z.string().max(MAX_CHARACTERS).optional(), { examples: ['daily at 9:00'] }).describe(
        `the schedule in words: ${TEXT_SCHEDULES}`,
      ),
      timezone: timezone.default('UTC').describe('time zone of the schedule'),
    })
    .transform(({ cron, text, timezone: zone }, context): Recurrence => {
      const refuse = (path: string[], message: string) => {
        context.addIssue({ code: 'custom', path, message, input: { cron, text } });
        return z.NEVER;
      };
      if ((cron === undefined) === (text === undefined))
        return refuse(
          [],
          'schedule needs either cron, such as "*/30 * * * *", or text, such as "daily at 9:00"',
        );
      const read = text === undefined ? { cron: cron ?? '' } : cronOfText(text);
      const path = [text === undefined ? 'cron' : 'text'];
      const given = quote(text ?? cron ?? '');
      if ('fault' in read) return refuse(path, `${given} ${read.fault}`);
      const recurrence = { cron: read.cron.trim().replace(/\s+/g, ' '), timezone: zone };
      const fault = faultOfRecurrence(recurrence);
      return fault === undefined ? recurrence : refuse(path, `${given} ${fault}`);
    }),
  exactlyOne('cron', 'text'),
).describe('when the monitor is checked, by exactly one of cron and text');
