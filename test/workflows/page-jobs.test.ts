import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob, untilStatus } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { useDatabase } from '../support/storage/database.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { payloadsOf, replay, silenceReplays } from '../support/workflows/histories.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/**
 * The workflows of batches and crawls: what a person sees and can do in the Temporal UI, and what is never in
 * there.
 */

silenceReplays();

const BATCH = '/v2/batch/scrape';
const site = useSite();
const db = useDatabase();
const temporal = useTemporal();

const slow = (count: number, ms = 400) =>
  Array.from({ length: count }, (_, n) => `${site.url}/slow/${ms}/article/${n}?${randomUUID()}`);
const startSlow = (count: number, ms?: number) =>
  startJob(BATCH, { urls: slow(count, ms), maxAge: 0, maxConcurrency: 1 });

describe('a batch in the Temporal UI', () => {
  it('shows its summary and progress', async () => {
    const id = await startSlow(5);
    const handle = temporal.workflow(`batch/${id}`);
    await untilStatus(`${BATCH}/${id}`, ({ completed }) => completed >= 1);
    const description = await handle.describe();
    expect(await description.staticSummary()).toBe('Batch of 5 pages');
    const attributes = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(attributes)).toMatchObject({
      JobKind: 'batch_scrape',
      Host: new URL(site.url).host,
    });
    await finished(BATCH, id);
    await handle.result();
    const shown = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(shown.currentDetails).toContain('**5 of 5 pages**');
    expect(shown.currentDetails).toContain('credits: 5');
  });

  it('keeps its host where its failed pages are tried again', async () => {
    await using pages = await startPages({ '/reset': (request) => void request.socket.destroy() });
    const id = await startJob(BATCH, { urls: [`${pages.url}/reset`], maxAge: 0 });
    await finished(BATCH, id);
    const handle = temporal.workflow(`batch/${id}`);
    await handle.result();
    const { runId: first } = await handle.describe();
    expect((await call(`${BATCH}/${id}/retry`, { method: 'POST' })).body.retried).toBe(1);
    await finished(BATCH, id);
    const { searchAttributes, runId } = await handle.describe();
    expect(searchAttributes.Host).toEqual([new URL(pages.url).host]);
    expect(runId).not.toBe(first);
  });

  it('is paused, resumed and tuned by signals', async () => {
    const id = await startSlow(6, 1_000);
    const handle = temporal.workflow(`batch/${id}`);
    await handle.signal('pause');
    await untilStatus(`${BATCH}/${id}`, ({ paused }) => paused === true);
    await handle.signal('retune', { maxConcurrency: -1, speed: 'high' });
    await handle.signal('retune', { maxConcurrency: 4, delay: 0.01 });
    const isTuned = async () => {
      const row = await db.query
        .selectFrom('job_progress')
        .selectAll()
        .where('job_id', '=', id)
        .executeTakeFirst();
      return row?.max_concurrency === 4 && row.delay_ms === 10;
    };
    await pollUntil(isTuned);
    await handle.signal('resume');
    expect(await finished(BATCH, id)).toMatchObject({ status: 'completed', completed: 6 });
    await handle.result();
    await replay(await handle.fetchHistory(), handle.workflowId);
  });

  it('stays resumed after the API has paused and resumed it', async () => {
    const id = await startSlow(6, 1_000);
    for (let round = 0; round < 6; round++) {
      for (const action of ['pause', 'resume']) await call(`${BATCH}/${id}/${action}`, { method: 'POST' });
      for (let read = 0; read < 5; read++)
        expect((await call(`${BATCH}/${id}`)).body).not.toHaveProperty('paused');
    }
    expect(await finished(BATCH, id)).toMatchObject({ status: 'completed', completed: 6 });
    const handle = temporal.workflow(`batch/${id}`);
    await handle.result();
    const history = await handle.fetchHistory();
    const activities = history.events?.map((event) => event.activityTaskScheduledEventAttributes);
    const names = activities?.map((activity) => activity?.activityType?.name);
    expect(names).toContain('isPaused');
    expect(names).not.toContain('retuneJob');
    await replay(history, handle.workflowId);
  });

  it('ends its job when it is cancelled', async () => {
    const id = await startSlow(9, 1_500);
    await untilStatus(`${BATCH}/${id}`, ({ completed }) => completed >= 1);
    await temporal.workflow(`batch/${id}`).cancel();
    const body = await finished(BATCH, id);
    expect(body).toMatchObject({ status: 'cancelled', total: body.completed });
  });
});

describe('the history of a crawl', () => {
  it('has few events for hundreds of pages, names no page, and replays', async () => {
    const url = `${site.url}/links/0`;
    const pages = IS_FULL_RUN ? 400 : 200;
    const id = await startJob('/v2/crawl', {
      url,
      limit: pages,
      crawlEntireDomain: true,
      scrapeOptions: { maxAge: 0 },
    });
    await finished('/v2/crawl', id);
    const handle = temporal.workflow(`crawl/${id}`);
    await handle.result();
    const history = await handle.fetchHistory();
    // About 60 on an idle machine, and some more for each second, because page workers take turns. An
    // activity per page would be three events each.
    const { startTime, closeTime } = await handle.describe();
    const seconds = (closeTime!.getTime() - startTime.getTime()) / 1_000;
    expect(history.events?.length).toBeLessThan(pages / 2 + 15 * seconds);
    const payloads = payloadsOf(history).filter(
      (payload) => !payload.includes(`Crawl of ${url}`) && !payload.includes('"asked"'),
    );
    expect(payloads.join('\n')).toContain(id);
    // The host alone is an attribute to search by.
    expect(payloads.filter((payload) => payload.includes('http') || payload.includes('/links/'))).toEqual([]);
    await replay(history, handle.workflowId);
  });
});

describe('a job that lost its workflow', () => {
  it('is continued by the upkeep workflow', async () => {
    const isFound = Promise.withResolvers<void>();
    let visits = 0;
    await using pages = await startPages({
      '/': async (_request, response) => {
        if (visits++ > 0) await isFound.promise;
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>A page</p>');
      },
    });
    const urls = [1, 2, 3, 4].map((n) => `${pages.url}/?${n}`);
    const id = await startJob(BATCH, { urls, fastMode: true, timeout: 300_000, maxConcurrency: 1 });
    await untilStatus(`${BATCH}/${id}`, ({ completed }) => completed === 1);
    const batch = temporal.workflow(`batch/${id}`);
    await batch.terminate('lost');
    await pollUntil(
      async () => {
        if ((await batch.describe()).status.name !== 'TERMINATED') return true;
        // As if nothing had happened to the job for a while; the next round of upkeep is asked for at once.
        // Pages that were underway when the workflow ended are still recorded, after which the job does not
        // look lost, so this is repeated.
        await db.query
          .updateTable('job_progress')
          .set({ touched_at: new Date(0) })
          .where('job_id', '=', id)
          .execute();
        await temporal.client.workflow.start('upkeep', {
          workflowId: 'upkeep',
          taskQueue: 'scrape',
          workflowIdConflictPolicy: 'TERMINATE_EXISTING',
        });
        return false;
      },
      { intervalMs: 5_000 },
    );
    const { searchAttributes } = await batch.describe();
    expect(searchAttributes.Host).toEqual([new URL(pages.url).host]);
    const { events } = await batch.fetchHistory();
    const [input] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    expect(JSON.parse(Buffer.from(input?.data ?? []).toString())).toMatchObject({
      jobId: id,
      asked: { urls: 4 },
    });
    isFound.resolve();
    expect(await finished(BATCH, id)).toMatchObject({ status: 'completed', completed: 4 });
  });

  it('is found by the upkeep workflow, whose details say what it did last', async () => {
    const shown = async () =>
      (await temporal.workflow('upkeep').query<{ currentDetails?: string }>('__temporal_workflow_metadata'))
        .currentDetails;
    // Another file may replace the workflow while it is asked.
    const details = await pollUntil(async () => (await shown().catch(() => undefined)) || undefined);
    expect(details).toMatch(
      /^Last tidied up: \d+ jobs, \d+ files, \d+ copies of pages\. Freed \d+\.\d MB of files\.$/,
    );
  });
});
