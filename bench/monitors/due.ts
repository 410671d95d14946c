import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf } from '../../src/errors.ts';
import { withSite } from '../crawl/programs.ts';
import { ask, type MeasuredService, startMeasuredService } from '../crawl/service.ts';
import { percentile, short, table } from '../figures.ts';
import { addMonitors, openDatabaseOf } from './monitored-service.ts';

const MINUTE_MS = 60_000;
/** Interactive scrapes begin in this interval, whether or not the one before has ended. */
const INTERVAL_MS = 400;
/** How long scrapes are measured before and while checks are due. */
const MEASURED_MS = 2 * MINUTE_MS;
/** The monitors are due so long after their schedules were created, at least. */
const LEAD_MS = 20_000;

const minuteOf = (time: Date) =>
  `${time.getUTCMinutes()} ${time.getUTCHours()} ${time.getUTCDate()} ${time.getUTCMonth() + 1} *`;
const scraped = z.object({ success: z.literal(true) });

/**
 * Scrapes pages in a fixed interval.
 * @returns how long each took that had a response, in milliseconds, and how many had none
 */
async function scrapeFor(
  { instance }: MeasuredService,
  { siteUrl, durationMs, from }: { siteUrl: string; durationMs: number; from: number },
): Promise<{ times: number[]; failed: number }> {
  const times: number[] = [];
  const scrapes: Promise<void>[] = [];
  let failed = 0;
  const startedAt = performance.now();
  for (let index = 0; performance.now() - startedAt < durationMs; index++) {
    const body = { url: `${siteUrl}/article/${from + index}`, maxAge: 0 };
    const before = performance.now();
    scrapes.push(
      ask(instance, { path: '/v2/scrape', body, answer: scraped }).then(
        () => void times.push(performance.now() - before),
        (error: unknown) => {
          failed++;
          console.error(messageOf(error));
        },
      ),
    );
    await sleep(Math.max(0, startedAt + (index + 1) * INTERVAL_MS - performance.now()));
  }
  await Promise.all(scrapes);
  return { times, failed };
}

/** Measures monitors that are due in the same minute, and prints the figures. */
export async function measureDue(count: number): Promise<void> {
  const scrapes = (2 * MEASURED_MS) / INTERVAL_MS;
  await withSite(count + scrapes, async (site) => {
    const service = await startMeasuredService({ env: { WINNOW_REQUESTS_PER_HOST: '16' } });
    const db = openDatabaseOf(service);
    try {
      // The first scrapes of a service take longer than all others.
      await scrapeFor(service, { siteUrl: site.url, durationMs: LEAD_MS, from: count });
      const alone = await scrapeFor(service, { siteUrl: site.url, durationMs: MEASURED_MS, from: count });
      const urls = Array.from({ length: count }, (_, index) => `${site.url}/article/${index}`);
      // Creating a schedule takes some milliseconds.
      const createdAt = Date.now() + LEAD_MS + count * 20;
      const dueAt = new Date(Math.ceil(createdAt / MINUTE_MS) * MINUTE_MS);
      await addMonitors(service, { urls, cron: minuteOf(dueAt) });
      if (Date.now() > dueAt.getTime()) throw new Error('The schedules were created too late.');
      await sleep(dueAt.getTime() - Date.now());
      const from = count + scrapes / 2;
      const beside = await scrapeFor(service, { siteUrl: site.url, durationMs: MEASURED_MS, from });
      const checks = await db.query
        .selectFrom('monitor_checks')
        .select(['status', 'started_at', 'finished_at'])
        .execute();
      const ends = checks.flatMap(({ finished_at: end }) => (end ? [end.getTime() - dueAt.getTime()] : []));
      const rowOf = (what: string, { times, failed }: { times: number[]; failed: number }) => ({
        scrapes: what,
        number: times.length,
        failed,
        'median, ms': short(percentile(times, 0.5)),
        'p95, ms': short(percentile(times, 0.95)),
      });
      console.log(table([rowOf('alone', alone), rowOf(`beside ${count} checks`, beside)]));
      console.log(
        table([
          {
            'checks begun': checks.length,
            'ended within the minute and the next': ends.filter((each) => each <= 2 * MINUTE_MS).length,
            completed: checks.filter(({ status }) => status === 'completed').length,
            'last end after, s': short(Math.max(0, ...ends) / 1000),
            'p95 beside ÷ alone': (percentile(beside.times, 0.95) / percentile(alone.times, 0.95)).toFixed(2),
          },
        ]),
      );
    } finally {
      await db.close();
      await service.instance.stop();
    }
  });
}
