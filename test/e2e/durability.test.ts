import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { chromium as playwright } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { readRunFile } from '../../src/run/embedded/supervision/run-file.ts';
import { openDatabase } from '../../src/storage/db/client.ts';
import { reportWorker, requireWorkers } from '../../src/storage/db/workers.ts';
import { articleTruth } from '../site/site.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { processesWith } from '../support/processes/process-list.ts';
import { type RunningService, runFileOf, startService } from '../support/service/start-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { describeInFullRun, itInFullRun } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Parts die, jobs do not. */

const site = useSite();
let service: RunningService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ask = (path: string, body?: unknown, method?: string) =>
  call(path, { url: service.url, key: service.key, body, ...(method && { method }) });

/**
 * Starts a scrape that takes a while.
 * @returns its id as soon as the activity list shows it, and the pending answer
 */
async function startSlowScrape(url: string): Promise<{ id: string; answer: Promise<ApiResponse | Error> }> {
  const answer = ask('/v2/scrape', { url, timeout: 120_000, maxAge: 0 }).catch((error: Error) => error);
  const job = await pollUntil(async () => {
    const { body } = await ask('/v2/team/activity');
    return body.data.find((item: { target: string }) => item.target === url);
  });
  return { id: job.id, answer };
}

/** The status of a scrape once it has ended; the API may be down for a while. */
function finished(id: string): Promise<ApiResponse> {
  return pollUntil(async () => {
    // A request that the API got while a part was down may not be answered; the next one is.
    const unanswered = sleep(10_000, undefined, { ref: false });
    const response = await Promise.race([ask(`/v2/scrape/${id}`).catch(() => undefined), unanswered]);
    return response && response.status < 500 && response.body.status !== 'scraping' && response;
  });
}

const pidOf = (name: string): number | undefined => runFileOf(service).children[name]?.pid;

/** A loaded machine may need several attempts to start a part again. */
const RESTART_TIMEOUT_MS = 180_000;

/** Ends a part and waits until the supervisor has started it again. */
async function restartPart(name: string, signal: NodeJS.Signals): Promise<void> {
  const before = pidOf(name)!;
  process.kill(before, signal);
  await pollUntil(() => ![before, undefined].includes(pidOf(name)));
}
const killPart = (name: string) => restartPart(name, 'SIGKILL');

describe('a running scrape', () => {
  it('is reported as scraping, and then with its result', async () => {
    const held = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (_request, response) => {
        await held.promise;
        response.end('<p>Held back</p>');
      },
    });
    const { id, answer } = await startSlowScrape(`${pages.url}/`);
    const running = await ask(`/v2/scrape/${id}`);
    expect(running).toMatchObject({ status: 200, body: { success: true, status: 'scraping' } });
    held.resolve();
    const done = await answer;
    if (done instanceof Error) throw done;
    const read = await ask(`/v2/scrape/${id}`);
    expect(read.body).toEqual({ success: true, status: 'completed', data: done.body.data });
  });

  it.each(['postgres', 'temporal'])(
    'survives kill -9 of %s',
    async (part) => {
      const { id } = await startSlowScrape(`${site.url}/slow/4000/article/12?${part}`);
      await killPart(part);
      await expectResult(id, 12);
    },
    RESTART_TIMEOUT_MS,
  );

  itInFullRun(
    'survives that Postgres is away for longer than all attempts of a scrape take',
    async () => {
      const { id } = await startSlowScrape(`${site.url}/slow/1000/article/17`);
      // The pause before the next start grows with each of them, to seven seconds in all.
      for (let kills = 0; kills < 4; kills++) await killPart('postgres');
      await expectResult(id, 17);
    },
    RESTART_TIMEOUT_MS,
  );

  it('survives kill -9 of the API, and its result can be read', async () => {
    const { id } = await startSlowScrape(`${site.url}/slow/3000/article/13?api`);
    await killPart('api');
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(13).firstSentence);
  });

  it('survives kill -9 of the worker and is charged once; with zero data retention, it is returned but not kept', async () => {
    const before = await creditsUsed();
    const url = `${site.url}/slow/4000/article/16`;
    const secret = ask('/v2/scrape', { url, timeout: 120_000, zeroDataRetention: true });
    const newest = async () => (await ask('/v2/team/activity')).body.data[0];
    await pollUntil(async () => (await newest())?.target === null);
    const secretId = (await newest()).id;
    const { id } = await startSlowScrape(`${site.url}/slow/4000/article/14`);
    await killPart('worker');
    await expectResult(id, 14);
    expect((await secret).body.data).toMatchObject({
      markdown: expect.stringContaining(articleTruth(16).firstSentence),
      metadata: { sourceURL: url, scrapeId: secretId },
    });
    expect((await ask(`/v2/scrape/${secretId}`)).status).toBe(404);
    // One for each page, and one for zero data retention.
    expect(await creditsUsed()).toBe(before + 3);
  });

  it('and a check of a monitor survive kill -9 of the worker, and the check is stored and charged once', async () => {
    const before = await creditsUsed();
    let claimed = 0;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/still': '<title>Still</title><main><p>This page is there at once.</p></main>',
      '/held': async (_request, response) => {
        claimed++;
        await held;
        response.end('<title>Held</title><main><p>This page comes late.</p></main>');
      },
    });
    const urls = [`${pages.url}/still`, `${pages.url}/held`];
    const monitor = { name: 'Slow', schedule: { text: 'daily' }, targets: [{ type: 'scrape', urls }] };
    const { id } = (await ask('/v2/monitor', monitor)).body.data;
    const started = (await ask(`/v2/monitor/${id}/run`, {})).body;
    await pollUntil(() => claimed > 0);
    await killPart('worker');
    release();
    const check = await pollUntil(async () => {
      const { body } = await ask(`/v2/monitor/${id}/checks/${started.id}`);
      return body.data?.status !== 'running' && body.data;
    });
    expect(check).toMatchObject({
      status: 'completed',
      summary: { totalPages: 2, new: 2 },
      actualCredits: 2,
    });
    expect((await ask(`/v2/monitor/${id}/checks`)).body.data).toHaveLength(1);
    expect(await creditsUsed()).toBe(before + 2);
  });

  itInFullRun(
    'keeps browser sessions when the API restarts, ends those of a dead worker as lost, and bills them once',
    async () => {
      const { body } = await ask('/v2/browser', {});
      expect(body.success).toBe(true);
      await killPart('api');
      const browser = await pollUntil(() =>
        // The API refuses connections until it runs again.
        playwright.connectOverCDP(body.cdpUrl, { timeout: 60_000 }).catch(() => undefined),
      );
      await browser.contexts()[0]!.pages()[0]!.goto(`${site.url}/article/1`);
      const ownPrefix = `winnow-session-${pidOf('worker')}-`;
      await killPart('worker');
      await pollUntil(async () => (await ask(`/v2/browser/${body.id}`)).body.endReason === 'lost');
      expect((await ask('/v2/team/activity?endpoint=browser')).body.data).toHaveLength(1);
      await pollUntil(() => processesWith(ownPrefix).length === 0);
      const { body: next } = await pollUntil(async () => {
        const response = await ask('/v2/browser', {});
        return response.status === 200 && response;
      });
      // The new host has deleted what the dead one left.
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(ownPrefix))).toEqual([]);
      const deleted = await ask(`/v2/browser/${next.id}`, undefined, 'DELETE');
      expect(deleted.body.creditsBilled).toBe(2);
    },
  );

  /** Waits until the scrape has ended; it must have the article and be listed once. */
  async function expectResult(id: string, article: number): Promise<void> {
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(article).firstSentence);
    const usage = await ask('/v2/team/activity');
    expect(usage.body.data.filter((item: { id: string }) => item.id === id)).toHaveLength(1);
  }

  async function creditsUsed(): Promise<number> {
    const { body } = await ask('/v2/team/credit-usage/historical');
    return body.periods.reduce(
      (sum: number, period: { totalCredits: number }) => sum + period.totalCredits,
      0,
    );
  }
});

describeInFullRun('a worker that stopped together with the database', () => {
  it('is not counted as running when the database is back', async () => {
    // The connection that breaks is replaced by the next statement.
    const own = openDatabase(runningDatabaseUrl(service.dataDir), () => undefined);
    const find = () => sql<{ id: string }>`select id from workers where 'ghost' = any (roles)`;
    try {
      const id = randomUUID();
      await reportWorker(own, { id, roles: ['ghost'], hasRoom: false });
      await expect(requireWorkers(own, ['ghost'])).resolves.toBeUndefined();
      await restartPart('postgres', 'SIGINT');
      const { rows } = await pollUntil(() =>
        find()
          .execute(own.query)
          .catch(() => undefined),
      );
      expect(rows).toEqual([{ id }]);
      await expect(requireWorkers(own, ['ghost'])).rejects.toThrow('No worker polls for the roles ghost');
    } finally {
      await own.close();
    }
  });
});

describe('a start after a crash', () => {
  it('continues the unfinished job and stops left-over processes', async () => {
    const { id } = await startSlowScrape(`${site.url}/slow/5000/article/15`);
    const { children } = runFileOf(service);
    service.process.kill('SIGKILL');
    const supervisor = runFileOf(service).pid;
    try {
      process.kill(supervisor, 'SIGKILL');
    } catch (error) {
      // The launcher was the supervisor's parent and may have taken it along.
      expect(error).toMatchObject({ code: 'ESRCH' });
    }
    service = await startService({ dataDir: service.dataDir });
    for (const [name, { pid }] of Object.entries(children)) expect(isRunning(pid), name).toBe(false);
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(15).firstSentence);
  });

  itInFullRun('succeeds after kill -9 during earlier starts', async () => {
    await service.stop({ keepData: true });
    const outcomes: unknown[] = [];
    let lastPid: number | undefined;
    for (const delayMs of [150, 700, 1500]) {
      const attempt = startService({ dataDir: service.dataDir }).catch((error: Error) => error);
      await sleep(delayMs);
      // On a busy machine the start may not have begun by then, and the file is still that of the attempt
      // before.
      const pid = await pollUntil(
        () => {
          const run = readRunFile(service.dataDir);
          return run && run.pid !== lastPid && run.pid;
        },
        { intervalMs: 20 },
      );
      process.kill(pid, 'SIGKILL');
      lastPid = pid;
      outcomes.push(await attempt);
    }
    // On a quick machine, the last start may be over when it is killed.
    expect(outcomes[0]).toBeInstanceOf(Error);
    service = await startService({ dataDir: service.dataDir });
    const { body } = await ask('/v2/scrape', { url: `${site.url}/article/16` });
    expect(body.data.markdown).toContain(articleTruth(16).firstSentence);
  });
});

/** A zombie counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
