import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { type Database, openDatabase } from '../../src/storage/db/client.ts';
import { runUpkeep } from '../../test/support/workflows/upkeep.ts';
import { percentile, short } from '../figures.ts';
import type { Bench } from './bench.ts';
import { ask, type JobPath } from './service.ts';

/** Scrapes before the deletion, to compare those during it with. */
const SCRAPES_BEFORE = 20;
const BETWEEN_MS = 100;

/**
 * How long the pages of an expired job take to be deleted, and scrapes before and meanwhile; milliseconds.
 */
export interface Expiry {
  deletionMs: number;
  before: number[];
  meanwhile: number[];
}

/** Has an ended job expire, and scrapes pages until the service has deleted its pages. */
export async function measureExpiry(bench: Bench, path: JobPath): Promise<Expiry> {
  const { instance, temporalAddress } = bench.service;
  const db = openDatabase(runningDatabaseUrl(instance.dataDir), (error) => console.error(error));
  try {
    const jobId = path.split('/').at(-1)!;
    const last = await lastPageOf(db, jobId);
    const before: number[] = [];
    while (before.length < SCRAPES_BEFORE) before.push(await timeScrape(bench));
    await db.query
      .updateTable('jobs')
      .set({ expires_at: new Date(0) })
      .where('id', '=', jobId)
      .execute();
    const start = performance.now();
    await runUpkeep(temporalAddress);
    const meanwhile: number[] = [];
    // Pages are deleted in their order.
    while (await last.isThere()) meanwhile.push(await timeScrape(bench));
    return { deletionMs: performance.now() - start, before, meanwhile };
  } finally {
    await db.close();
  }
}

/** Formats the figures of an expired job. */
export function describeExpiry({ deletionMs, before, meanwhile }: Expiry): string {
  const times = (scrapes: number[]) =>
    `p50 ${short(percentile(scrapes, 0.5))} ms, at most ${short(Math.max(...scrapes))} ms`;
  return `Expired: its pages were deleted in ${short(deletionMs / 1000)} s. Scrapes before: ${times(before)}; meanwhile: ${meanwhile.length ? times(meanwhile) : 'none'}.`;
}

async function lastPageOf(db: Database, jobId: string) {
  const { ordinal } = await db.query
    .selectFrom('pages')
    .select('ordinal')
    .where('job_id', '=', jobId)
    .orderBy('ordinal', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return {
    isThere: async () =>
      (await db.query
        .selectFrom('pages')
        .select('id')
        .where('job_id', '=', jobId)
        .where('ordinal', '=', ordinal)
        .executeTakeFirst()) !== undefined,
  };
}

/** Scrapes a page, and returns the milliseconds that it took. */
async function timeScrape({ service, warmUpUrl }: Bench): Promise<number> {
  const start = performance.now();
  const body = { url: `${warmUpUrl}/article/1`, maxAge: 0 };
  await ask(service.instance, { path: '/v2/scrape', body, answer: z.unknown() });
  const ms = performance.now() - start;
  await sleep(BETWEEN_MS);
  return ms;
}
