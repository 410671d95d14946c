import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ApiDeps } from '../../src/api/http/route.ts';
import { runAndWait } from '../../src/api/run-and-wait.ts';
import type { SynchronousJob } from '../../src/api/synchronous-job.ts';
import type { DirectResult } from '../../src/jobs/direct-start/protocol.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { completeJob } from '../../src/storage/db/jobs/take-credits.ts';
import { createLogger } from '../../src/system/logger.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** When the API starts the workflow of a scrape itself, by a worker and a Temporal server that only count. */

const db = useDatabase();

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

/** Requests a scrape. @returns its result, and in order what happened meanwhile */
async function scrape(direct: DirectResult | undefined, settle: () => Promise<void>) {
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
    startDirectly: async () => direct,
    temporal: {
      async startScrape({ jobId }: { jobId: string }) {
        events.push('workflow started');
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
      timeoutMs: 30_000,
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
