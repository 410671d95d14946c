import { describe, expect, it } from 'vitest';
import {
  countRunsPerMonth,
  faultOfRecurrence,
  isTimezone,
  nextRunAfter,
  splitDays,
} from '../../src/schedules/recurrence.ts';
import { cronOfText } from '../../src/schedules/text-schedule.ts';

const faultOf = (cron: string) => faultOfRecurrence({ cron, timezone: 'UTC' });

describe('a schedule in words', () => {
  it.each([
    ['every 30 minutes', '*/30 * * * *'],
    ['Every 15 minutes starting at :07', '7-59/15 * * * *'],
    ['hourly', '0 * * * *'],
    ['every 6 hours', '0 */6 * * *'],
    ['every 120 minutes', '0 */2 * * *'],
    ['daily', '0 0 * * *'],
    ['daily at 9:00', '0 9 * * *'],
    ['daily at 9am', '0 9 * * *'],
    ['daily at 12 am', '0 0 * * *'],
    ['daily at 5:30 PM', '30 17 * * *'],
    ['weekly', '0 0 * * 1'],
    ['every friday at 8:15', '15 8 * * 5'],
  ])('%s is %s', (text, cron) => expect(cronOfText(text)).toEqual({ cron }));

  it.each([
    'every 25 minutes',
    'every 5 hours',
    'daily at 25:00',
    'daily at 13pm',
    'sometimes',
    'every 0 minutes',
  ])('%s is refused', (text) => expect(cronOfText(text)).toHaveProperty('fault'));
});

describe('a cron expression', () => {
  it.each(['*/5 * * * *', '0 9 * * 1-5', '0 0 29 2 *', '0 0 * JAN,FEB MON', '55 23 * * *', '0,58 0 * * *'])(
    '%s is accepted',
    (cron) => expect(faultOf(cron)).toBeUndefined(),
  );

  it.each([
    ['* * * * *', /again after 1 minute;/],
    ['*/7 * * * *', /again after 4 minutes/],
    ['0,58 * * * *', /again after 2 minutes/],
    ['0,3 4 1 1 *', /again after 3 minutes/],
    ['0 0 30 2 *', /never comes/],
    ['0 0 L * *', /five fields/],
    ['0 0 * *', /five fields/],
    ['99 * * * *', /Invalid value for minute/],
    [`${'1,'.repeat(200)}1 * * * *`, /five fields/],
  ])('%s is refused', (cron, fault) => expect(faultOf(cron)).toMatch(fault));

  it('comes next by the clock of its time zone, on the days when the clock changes too', () => {
    const berlin = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
    const nextAfter = (text: string) => nextRunAfter(berlin, new Date(text))?.toISOString();
    expect(nextAfter('2027-01-01T00:00Z')).toBe('2027-01-01T01:30:00.000Z');
    expect(nextAfter('2027-10-31T00:35Z')).toBe('2027-11-01T01:30:00.000Z');
  });

  it('is counted in a month', () => {
    const countOf = (cron: string) => countRunsPerMonth({ cron, timezone: 'UTC' });
    expect([countOf('*/5 * * * *'), countOf('0 9 * * *'), countOf('0 0,12 * * *')]).toEqual([8_640, 30, 60]);
  });

  it('with a day of the month and one of the week is two, because either is enough', () => {
    expect(splitDays('0 9 13 * 5')).toEqual(['0 9 13 * *', '0 9 * * 5']);
    expect(splitDays('0 9 * * 5')).toEqual(['0 9 * * 5']);
  });
});

it('knows time zones', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Base', ''].map(isTimezone)).toEqual([true, true, false, false]);
});
