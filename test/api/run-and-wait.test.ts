import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ApiDeps } from '../../src/api/http/route.ts';
import { runAndWait } from '../../src/api/run-and-wait.ts';
import type { SynchronousJob } from '../../src/api/synchronous-job.ts';
import type { DirectResult } from '../../src/jobs/direct-start/protocol.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { recordLongConversion } from '../../src/storage/db/jobs/long-conversions.ts';
import { completeJob } from '../../src/storage/db/jobs/take-credits.ts';
import { createLogger } from '../../src/system/logger.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** When the API starts the workflow of a scrape itself, by a worker and a Temporal server that only count. */

const db = useDatabase();

const TIMEOUT_MS = 30_000;
/** Longer than what is left of the grace below. */
const DIRECT_MS = 600;
/** Official clients end their requests that long after the timeout. */
const CLIENT_GRACE_MS = 5_000;
const DOCUMENT = Buffer.from('{"markdown":"A page"}');

/** The same database, which says that everything is on its disk only when `settle` has ended. */
function withSlowDisk({ query, ...rest }: Database, settle: () => Promise<void>): Database {
  const waits = new WeakSet<object>();
  const disk: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind === 'RawNode' && node.sqlFragments.join('').includes('pg_logical_emit_message'))
        waits.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (waits.has(queryId)) await settle();
      return result;
    },
  };
  return { query: query.withPlugin(disk), ...rest };
}

/**
 * Requests a scrape.
 * @param wait waits for its workflow that many milliseconds; by default it ends at once
 * @returns its result, and in order what happened meanwhile
 */
async function scrape(
  direct: DirectResult | undefined | Promise<DirectResult>,
  settle: () => Promise<void>,
  wait?: (ms: number, job: { jobId: string; teamId: string }) => Promise<string | undefined>,
) {
  const { id: teamId } = await makeTeam(db);
  const events: string[] = [];
  const deps = {
    config: { allowPrivate: [], secretKey: 'k', resultTtlMs: 60_000 },
    db: withSlowDisk(db, async () => {
      await settle();
      events.push('on the disk');
    }),
    storage: { requireSpace: async () => undefined },
    storedResults: { requireRoom: async () => undefined },
    startDirectly: () => direct,
    temporal: {
      findScrape: () => ({ wait: (ms: number) => wait?.(ms, { jobId: '', teamId }) }),
      async startScrape({ jobId }: { jobId: string }) {
        events.push('workflow started');
        if (wait) return { wait: (ms: number) => wait(ms, { jobId, teamId }) };
        await completeJob(db, { jobId, credits: 1, blob: 'key' });
        return { wait: async () => 'key' };
      },
    },
    results: { get: async () => DOCUMENT },
    logger: createLogger('api', 'silent'),
    closing: new AbortController().signal,
  };
  const { result } = await runAndWait(
    {
      kind: 'scrape',
      // Only what storing a job reads is there.
      caller: { teamId, apiKeyId: null, creditsRemaining: null } as SynchronousJob['caller'],
      target: 'http://a.test/',
      request: { origin: 'api' },
      timeoutMs: TIMEOUT_MS,
      reserved: 1,
      isQuick: true,
      signal: new AbortController().signal,
      isEncrypted: false,
    },
    // Only what a scrape without an upload uses is there.
    deps as unknown as ApiDeps,
  );
  return { result, events };
}

describe('a scrape that the API has stored', () => {
  it('gets its workflow, when no worker responds, only once it is on the disk of the database', async () => {
    const { result, events } = await scrape(undefined, async () => undefined);
    expect(events).toEqual(['on the disk', 'workflow started']);
    expect(result).toEqual(DOCUMENT);
  });

  it('gets its workflow also if the database cannot say whether it is on the disk', async () => {
    const { result, events } = await scrape(undefined, async () => {
      throw new Error('Connection terminated unexpectedly');
    });
    expect(events).toEqual(['workflow started']);
    expect(result).toEqual(DOCUMENT);
  });

  it('is not kept waiting for the disk when a worker has scraped it', async () => {
    const written = Promise.withResolvers<void>();
    const { result, events } = await scrape({ document: DOCUMENT }, () => written.promise);
    expect(events).toEqual([]);
    expect(result).toEqual(DOCUMENT);
    written.resolve();
  });
});

describe('a scrape that is still running after its timeout', () => {
  const sum = (all: number[]) => all.reduce((total, each) => total + each, 0);

  it('is waited for until shortly before official clients end their requests', async () => {
    const waits: number[] = [];
    const { result } = await scrape(
      undefined,
      async () => undefined,
      async (ms) => void waits.push(ms),
    );
    expect(result).toBeUndefined();
    expect(sum(waits)).toBeGreaterThan(TIMEOUT_MS);
    expect(sum(waits)).toBeLessThan(TIMEOUT_MS + CLIENT_GRACE_MS);
  });

  it('is not waited for longer because a worker was asked directly, and has not ended it', async () => {
    const waits: number[] = [];
    const slow = new Promise<DirectResult>((resolve) => setTimeout(resolve, DIRECT_MS, {}));
    const { result } = await scrape(
      slow,
      async () => undefined,
      async (ms) => void waits.push(ms),
    );
    expect(result).toBeUndefined();
    expect(DIRECT_MS + sum(waits)).toBeLessThan(TIMEOUT_MS + CLIENT_GRACE_MS);
  });

  it('is waited for no longer once a worker tells, however late, that it converts a document on', async () => {
    const waits: number[] = [];
    const { result } = await scrape(
      undefined,
      async () => undefined,
      async (ms, { jobId, teamId }) => {
        waits.push(ms);
        const state = { isRunning: true, pages: 2, remainingSeconds: undefined };
        const job = { jobId, teamId, request: {}, endsAt: new Date(Date.now() + 60_000) };
        if (waits.length === 2) await recordLongConversion(db, { ...job, ...state });
        return undefined;
      },
    );
    expect(result).toBeUndefined();
    expect(waits).toHaveLength(2);
  });

  it('is delivered if it ends a little later', async () => {
    const { result } = await scrape(
      undefined,
      async () => undefined,
      async (ms, { jobId }) => {
        if (ms > TIMEOUT_MS) return undefined;
        await completeJob(db, { jobId, credits: 1, blob: 'key' });
        return 'key';
      },
    );
    expect(result).toEqual(DOCUMENT);
  });
});
