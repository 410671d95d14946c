import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { articleTruth, type Site, startSite } from '../site/site.ts';
import { type Answer, call } from '../support/api.ts';
import { type Instance, startInstance } from '../support/instance.ts';

/** Parts die, jobs do not. */

let site: Site;
let instance: Instance;

beforeAll(async () => {
  site = await startSite();
  instance = await startInstance();
});
afterAll(async () => {
  await instance.stop();
  await site.close();
});

const ask = (path: string, body?: unknown) => call(path, { url: instance.url, key: instance.key, body });

/** Starts a scrape that takes a while. @returns its id as soon as the activity list shows it, and the pending answer */
async function startSlowScrape(path: string): Promise<{ id: string; answer: Promise<Answer | Error> }> {
  const url = site.url + path;
  const answer = ask('/v2/scrape', { url, timeout: 60_000, maxAge: 0 }).catch((error: Error) => error);
  for (;;) {
    await sleep(100);
    const { body } = await ask('/v2/team/activity');
    const job = body.data.find((item: { target: string }) => item.target === url);
    if (job) return { id: job.id, answer };
  }
}

async function finished(id: string): Promise<Answer> {
  for (;;) {
    const answer = await ask(`/v2/scrape/${id}`).catch(() => undefined);
    if (answer && answer.status < 500 && answer.body.status !== 'scraping') return answer;
    await sleep(250);
  }
}

const pidOf = async (name: string) => (await instance.run()).children[name]!.pid;

/** Kills a part and waits until the supervisor has another one. */
async function killPart(name: string): Promise<void> {
  const before = await pidOf(name);
  process.kill(before, 'SIGKILL');
  for (;;) {
    await sleep(100);
    const after = (await instance.run()).children[name]?.pid;
    if (after !== undefined && after !== before) return;
  }
}

describe('a scrape under way', () => {
  it('shows that it runs, and then its result', async () => {
    const { id, answer } = await startSlowScrape('/slow/3000/article/11');
    const running = await ask(`/v2/scrape/${id}`);
    expect(running).toMatchObject({ status: 200, body: { success: true, status: 'scraping' } });
    const done = await answer;
    if (done instanceof Error) throw done;
    const read = await ask(`/v2/scrape/${id}`);
    expect(read.body).toEqual({ success: true, status: 'completed', data: done.body.data });
  });

  it.each(['worker', 'postgres', 'temporal'])('survives kill -9 of %s', async (part) => {
    const { id } = await startSlowScrape(`/slow/4000/article/12?${part}`);
    await killPart(part);
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(12).firstSentence);
    const usage = await ask('/v2/team/activity');
    expect(usage.body.data.filter((item: { id: string }) => item.id === id)).toHaveLength(1);
  });

  it('survives kill -9 of the API; its result is there', async () => {
    const { id } = await startSlowScrape('/slow/3000/article/13?api');
    await killPart('api');
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(13).firstSentence);
  });

  it('with zero data retention survives it too, though nothing of it can be read', async () => {
    const url = `${site.url}/slow/4000/article/16`;
    const answer = ask('/v2/scrape', { url, zeroDataRetention: true });
    const newest = async () => (await ask('/v2/team/activity')).body.data[0];
    while ((await newest())?.target !== null) await sleep(100);
    const { id } = await newest();
    await killPart('worker');
    expect((await answer).body.data).toMatchObject({
      markdown: expect.stringContaining(articleTruth(16).firstSentence),
      metadata: { sourceURL: url, scrapeId: id },
    });
    expect((await ask(`/v2/scrape/${id}`)).status).toBe(404);
  });

  it('is billed once, whatever died', async () => {
    const before = await creditsUsed();
    const { id } = await startSlowScrape('/slow/4000/article/14');
    await killPart('worker');
    await finished(id);
    expect(await creditsUsed()).toBe(before + 1);
  });

  async function creditsUsed(): Promise<number> {
    const { body } = await ask('/v2/team/credit-usage/historical');
    return body.periods.reduce(
      (sum: number, period: { totalCredits: number }) => sum + period.totalCredits,
      0,
    );
  }
});

describe('a start over what a crash left', () => {
  it('finds the data and the unfinished job, and leaves no orphan', async () => {
    const { id } = await startSlowScrape('/slow/5000/article/15');
    const { children } = await instance.run();
    instance.process.kill('SIGKILL');
    const supervisor = (await instance.run()).pid;
    try {
      process.kill(supervisor, 'SIGKILL');
    } catch (error) {
      // The launcher was the supervisor's parent and may have taken it along.
      expect(error).toMatchObject({ code: 'ESRCH' });
    }
    instance = await startInstance({ dataDir: instance.dataDir });
    for (const [name, { pid }] of Object.entries(children)) expect(isRunning(pid), name).toBe(false);
    const { body } = await finished(id);
    expect(body.data.markdown).toContain(articleTruth(15).firstSentence);
  });

  it('is clean after kill -9 in the middle of the start', async () => {
    await instance.stop({ keepData: true });
    for (const delayMs of [150, 700, 1500]) {
      const attempt = startInstance({ dataDir: instance.dataDir }).catch((error: Error) => error);
      await sleep(delayMs);
      // On a busy machine it may not have begun by then.
      let run = await readRun();
      while (!run) run = await sleep(20).then(readRun);
      process.kill(run.pid, 'SIGKILL');
      const outcome = await attempt;
      if (!(outcome instanceof Error)) throw new Error('the start should have been cut short');
    }
    instance = await startInstance({ dataDir: instance.dataDir });
    const { body } = await ask('/v2/scrape', { url: `${site.url}/article/16` });
    expect(body.data.markdown).toContain(articleTruth(16).firstSentence);
  });

  async function readRun() {
    return instance.run().catch(() => undefined);
  }
});

/** A zombie counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
