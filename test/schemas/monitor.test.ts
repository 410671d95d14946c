import { describe, expect, it } from 'vitest';
import { validate } from '../../src/api/validation/validate.ts';
import { messageOf } from '../../src/errors.ts';
import { createMonitorBody, updateMonitorBody } from '../../src/schemas/monitor.ts';

const target = { type: 'scrape', urls: ['https://a.test/'] };
const good = { name: 'A', schedule: { text: 'hourly' }, targets: [target] };

/** The message by which a request is refused; empty if it is not. */
function faultOf(change: object, schema = createMonitorBody as Parameters<typeof validate>[0]): string {
  try {
    validate(schema, { ...good, ...change }, 'body');
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

describe('the body of a monitor', () => {
  it('is completed, with its schedule as cron', () => {
    expect(createMonitorBody.parse(good)).toMatchObject({
      schedule: { cron: '0 * * * *', timezone: 'UTC' },
      retentionDays: 30,
      targets: [{ changeDetection: { ignore: [], minChangedWords: 1 }, scrapeOptions: { timeout: 60_000 } }],
    });
  });

  it.each<[string, object, RegExp]>([
    [
      'an interval below five minutes',
      { schedule: { cron: '*/2 * * * *' } },
      /again after 2 minutes; at least 5/,
    ],
    [
      'a schedule of nonsense',
      { schedule: { text: 'now and then' } },
      /"now and then" is not a schedule\. Write/,
    ],
    ['two schedules', { schedule: { text: 'hourly', cron: '0 * * * *' } }, /needs either cron.*or text/],
    ['no schedule', { schedule: {} }, /needs either cron.*or text/],
    [
      'an unknown zone',
      { schedule: { text: 'daily', timezone: 'Mars/Base' } },
      /"Mars\/Base" is not a time zone/,
    ],
    ['no target', { targets: [] }, /at least one target/],
    ['51 targets', { targets: Array(51).fill(target) }, /at most 50 entries, but has 51/],
    [
      'two targets of one id',
      {
        targets: [
          { ...target, id: 'a' },
          { ...target, id: 'a' },
        ],
      },
      /two targets have this id/,
    ],
    [
      'lockdown',
      { targets: [{ ...target, scrapeOptions: { lockdown: true } }] },
      /lockdown is not possible in a monitor/,
    ],
    [
      'zero data retention',
      { targets: [{ ...target, scrapeOptions: { zeroDataRetention: true } }] },
      /zeroDataRetention/,
    ],
    ['an unknown key', { colour: 'red' }, /colour/],
    [
      'a pattern that cannot be read',
      { targets: [{ ...target, changeDetection: { ignorePatterns: ['('] } }] },
      /cannot be read/,
    ],
    ['a search without a goal', { targets: [{ type: 'search', queries: ['a'] }] }, /needs a goal/],
    ['mails to nobody', { notification: { email: { enabled: true } } }, /at least one address/],
    [
      'a recipient that adds a header',
      { notification: { email: { enabled: true, recipients: ['a@b.test\r\nBcc: c@d.test'] } } },
      /recipients/,
    ],
    [
      '26 recipients',
      { notification: { email: { recipients: Array.from({ length: 26 }, (_, n) => `a${n}@b.test`) } } },
      /at most 25 entries/,
    ],
    [
      'an event of another kind',
      { webhook: { url: 'https://a.test/', events: ['crawl.page'] } },
      /monitor\.check\.completed/,
    ],
    ['too long a retention', { retentionDays: 366 }, /365/],
  ])('is refused with %s, and the message says so', (_name, change, fault) => {
    expect(faultOf(change)).toMatch(fault);
  });

  it('accepts the events by their full names', () => {
    const webhook = { url: 'https://a.test/', events: ['monitor.page', 'monitor.check.completed'] };
    expect(faultOf({ webhook })).toBe('');
  });

  it('of a change has any of the fields, and null where one can be removed', () => {
    expect(
      updateMonitorBody.parse({ webhook: null, goal: null, notification: null, status: 'paused' }),
    ).toMatchObject({
      webhook: null,
      goal: null,
      notification: null,
      status: 'paused',
    });
    expect(updateMonitorBody.safeParse({ status: 'deleted' }).success).toBe(false);
  });
});
