import { randomUUID } from 'node:crypto';
import { hashCanonicalKey } from '../../../src/jobs/crawl/page-key.ts';
import { addCacheEntries, findCacheEntries } from '../../../src/storage/db/cache/cache-entries.ts';
import { type Database, openDatabase } from '../../../src/storage/db/client.ts';
import { insertPageJob } from '../../../src/storage/db/jobs/page-jobs.ts';
import type { Claim } from '../../../src/storage/db/pages/claims.ts';
import type { NewPage } from '../../../src/storage/db/pages/pages.ts';
import { type PageResult, recordAndClaim } from '../../../src/storage/db/pages/record-and-claim.ts';
import { NULL_CIPHER } from '../../../src/system/encryption/job-cipher.ts';
import { blobKeyOf, copyOf, copyQueryOf, DOCUMENT_BYTES, entryOf, traceOf } from '../made-results.ts';
import { addTeam, type Load, type SharedParts, type Work } from './load.ts';

/** Pages that a page worker records and claims in one transaction, as those of quick hosts. */
const PAGES_PER_STEP = 12;
/** Pages that a crawl knows from its start. */
const FIRST_PAGES = 120;
/** Links of a page that the filter of links lets through; all but one of them are known. */
const LINKS_PER_PAGE = 10;
const RESULT_TTL_MS = 86_400_000;

/**
 * Page workers of crawls: each claims a dozen pages, stores their copies, records made results with links, and
 * claims again. An operation is a page.
 * @param options.sharesTeam whether all crawls are of one team, whose claims run one after another
 */
export function openPages({ databaseUrl, name }: SharedParts, { sharesTeam }: { sharesTeam: boolean }): Load {
  const db = openDatabase(databaseUrl, (error) => console.error(error.message));
  return {
    async addWorker(number) {
      const teamId = await addTeam(db, sharesTeam ? 'pages' : `pages-${name}-${number}`);
      return startPageWorker(db, teamId, `${name}-${number}.example`);
    },
    close: () => db.close(),
  };
}

async function startPageWorker(db: Database, teamId: string, host: string): Promise<Work> {
  const jobId = randomUUID();
  const pageWorker = `${jobId}/0/${randomUUID()}`;
  const pageOf = (number: number): NewPage => {
    const url = `https://${host}/articles/${number}/a-page-with-a-usual-address`;
    return { url, host, key: hashCanonicalKey(jobId, url), depth: 1 };
  };
  let known = FIRST_PAGES;
  await insertPageJob(db.query, {
    id: jobId,
    teamId,
    apiKeyId: null,
    kind: 'crawl',
    target: `https://${host}/`,
    request: { url: `https://${host}/`, limit: 1_000_000, scrapeOptions: { formats: ['markdown'] } },
    ttlMs: RESULT_TTL_MS,
    pages: Array.from({ length: FIRST_PAGES }, (_, number) => pageOf(number)),
    limit: 10_000_000,
    maxConcurrency: null,
    delayMs: null,
    webhook: undefined,
    baseUrl: 'http://127.0.0.1',
  });
  let claims: Claim[] = [];
  return async () => {
    const found = claims.flatMap(({ ordinal }) => {
      const others = Array.from({ length: LINKS_PER_PAGE - 1 }, (_, link) =>
        pageOf((ordinal * link) % known),
      );
      return [...others, pageOf(known++)];
    });
    if (claims.length) await storeCopies(db, teamId, claims);
    const group = randomUUID();
    const job = await recordAndClaim(db, {
      jobId,
      cipher: NULL_CIPHER,
      pageWorker,
      results: claims.map((claim, place) => resultOf(claim, blobKeyOf(group, place))),
      found,
      maxPages: PAGES_PER_STEP,
      openRequests: new Map(),
      requestsPerHost: 16,
      pageEvents: false,
    });
    const done = claims.length;
    claims = job.claims;
    return done;
  };
}

async function storeCopies(db: Database, teamId: string, claims: Claim[]): Promise<void> {
  await findCacheEntries(
    db,
    claims.map(({ url }) => copyQueryOf(url, teamId)),
    { isShared: false },
  );
  await addCacheEntries(
    db,
    claims.map(({ url }) => copyOf(url, teamId)),
  );
}

const resultOf = ({ id, host, url, ordinal }: Claim, blob: string): PageResult => ({
  id,
  host,
  outcome: 'completed',
  blob,
  bytes: DOCUMENT_BYTES,
  credits: 1,
  trace: traceOf(ordinal),
  entry: entryOf(url, ordinal),
});
