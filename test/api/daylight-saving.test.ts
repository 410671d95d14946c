import { describe, expect, it } from 'vitest';
import { scheduleIdOf } from '../../src/job-kinds.ts';
import { nextRunAfter, type Recurrence } from '../../src/schedules/recurrence.ts';
import { call } from '../support/api/call.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** When monitors run on the days on which summer time begins and ends, by Temporal and by what the API says. */

const db = useDatabase();
const temporal = useTemporal();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The runs of a recurrence between two times, as `nextRunAt` of its monitor would be. */
function announcedRuns(recurrence: Recurrence, from: Date, until: Date): string[] {
  const runs: string[] = [];
  for (let run = nextRunAfter(recurrence, from); run && run < until; run = nextRunAfter(recurrence, run))
    runs.push(run.toISOString());
  return runs;
}

/** The runs of a monitor between two times, by its schedule in Temporal, which spreads them within a minute. */
async function scheduledRuns(recurrence: Recurrence, from: Date, until: Date): Promise<string[]> {
  const { key } = await makeTeam(db);
  const targets = [{ type: 'scrape', urls: ['https://example.com'] }];
  const body = { name: 'Clock', schedule: recurrence, targets };
  const { id } = (await call('/v2/monitor', { body, key })).body.data;
  const secondsOf = (time: Date) => ({ seconds: time.getTime() / 1_000 });
  const request = {
    namespace: 'default',
    scheduleId: scheduleIdOf(id),
    startTime: secondsOf(from),
    endTime: secondsOf(until),
  };
  // The type of the client wants 64-bit numbers of a library of its own, and its encoder takes others.
  const { startTime = [] } = await temporal.client.workflowService.listScheduleMatchingTimes(
    request as never,
  );
  await call(`/v2/monitor/${id}`, { method: 'DELETE', key });
  return startTime.map(({ seconds }) =>
    new Date(Math.floor((Number(seconds) * 1_000) / MINUTE_MS) * MINUTE_MS).toISOString(),
  );
}

/** The day of a change, a time of day that it leaves out or repeats, and the runs at it on that day. */
const DAYS = [
  { timezone: 'Europe/Berlin', change: 'begins', day: '2027-03-28', inChange: '30 2 * * *', runs: 0 },
  { timezone: 'Europe/Berlin', change: 'ends', day: '2027-10-31', inChange: '30 2 * * *', runs: 1 },
  { timezone: 'America/New_York', change: 'begins', day: '2027-03-14', inChange: '30 2 * * *', runs: 0 },
  { timezone: 'America/New_York', change: 'ends', day: '2027-11-07', inChange: '30 1 * * *', runs: 2 },
  { timezone: 'Australia/Lord_Howe', change: 'begins', day: '2027-10-03', inChange: '15 2 * * *', runs: 1 },
  { timezone: 'Australia/Lord_Howe', change: 'ends', day: '2027-04-04', inChange: '45 1 * * *', runs: 1 },
] as const;

describe.each(DAYS)('in $timezone, on the day on which summer time $change', ({ timezone, day, ...rest }) => {
  const from = new Date(Date.parse(`${day}T00:00Z`) - DAY_MS);
  const until = new Date(from.getTime() + 3 * DAY_MS);
  const dayOf = (run: string) =>
    new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: timezone }).format(new Date(run));

  it('a daily monitor runs once, when the API says so', async () => {
    const recurrence = { cron: '0 9 * * *', timezone };
    const runs = await scheduledRuns(recurrence, from, until);
    expect(runs).toEqual(announcedRuns(recurrence, from, until));
    expect(runs.filter((run) => dayOf(run) === day)).toHaveLength(1);
  });

  it('an hourly monitor runs when the API says so, but for one run at most', async () => {
    const recurrence = { cron: '0 * * * *', timezone };
    const runs = new Set(await scheduledRuns(recurrence, from, until));
    const announced = new Set(announcedRuns(recurrence, from, until));
    expect(announced.size).toBeGreaterThan(60);
    const differing = [...runs, ...announced].filter((run) => !runs.has(run) || !announced.has(run));
    expect(differing.length).toBeLessThan(2);
  });

  it('a daily monitor at a time that is left out or repeated runs as the guide says', async () => {
    const runs = await scheduledRuns({ cron: rest.inChange, timezone }, from, until);
    expect(runs.filter((run) => dayOf(run) === day)).toHaveLength(rest.runs);
  });
});
