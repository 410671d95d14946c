import { randomUUID } from 'node:crypto';
import { addCacheEntries, findCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { insertOrJoin, waitForDisk } from '../../../src/storage/db/jobs/insert-scrape.ts';
import { completeJob } from '../../../src/storage/db/jobs/take-credits.ts';
import { addIndexedPage } from '../../../src/storage/db/pages/indexed-pages.ts';
import { copyOf, copyQueryOf, entryOf, SMALL_RESULT, traceOf } from '../made-results.ts';
import { addTeam, type Load, type SharedParts } from './load.ts';

const RESULT_TTL_MS = 86_400_000;

/**
 * Scrapes: each is stored, gets a slot, looks for a copy and stores one, ends with a small result, is billed and
 * indexed. An operation is a scrape. Each simulated worker is a team of its own.
 */
export function openScrapes({ databaseUrl, name }: SharedParts): Load {
  const db = openDatabase(databaseUrl, (error) => console.error(error.message));
  return {
    async addWorker(number) {
      const teamId = await addTeam(db, `scrapes-${name}-${number}`);
      let scrapes = 0;
      return async () => {
        const id = randomUUID();
        const at = scrapes++;
        const url = `https://${name}-${number}.example/articles/${at}/a-page-with-a-usual-address`;
        const request = { url, formats: ['markdown'], onlyMainContent: true, upload: undefined };
        const job = {
          id,
          teamId,
          apiKeyId: null,
          kind: 'scrape' as const,
          target: url,
          ttlMs: RESULT_TTL_MS,
        };
        await insertOrJoin(db.query, { ...job, request }, { takesSlot: true });
        await findCacheEntries(db, [copyQueryOf(url, teamId)], { isShared: false });
        await addCacheEntries(db, [copyOf(url, teamId)]);
        await waitForDisk(db);
        const result = { blob: id, small: SMALL_RESULT, trace: traceOf(at) };
        await Promise.all([
          completeJob(db, { jobId: id, credits: 1, ...result }),
          addIndexedPage(db, teamId, entryOf(url, at)),
        ]);
        return 1;
      };
    },
    close: () => db.close(),
  };
}
