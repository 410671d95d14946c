import { createHash, randomUUID } from 'node:crypto';
import { makePageEntry, type PageEntry } from '../../src/content/indexing/page-entry.ts';
import type { PageTrace } from '../../src/schemas/page-trace.ts';
import type { CacheEntry } from '../../src/storage/db/cache/cache-entries.ts';
import { headline } from '../../test/site/prose.ts';
import { type Random, seeded } from '../../test/site/random.ts';

/** Pages that nobody has fetched, with results of the size that those of usual pages have. */

/** Characters of the text of a made page; about a thousand words. */
const TEXT_CHARACTERS = 6_000;
/** Words that pages are made of. Common ones are much more frequent than rare ones, as in any language. */
const VOCABULARY = 30_000;
/** Pages that differ in their texts. Making a text takes longer than storing it. */
const TEXTS = 200;
/** Size of the document of a page as JSON. */
export const DOCUMENT_BYTES = 14_000;
/** Size of the compressed document of a scrape, as Postgres keeps it. */
export const SMALL_RESULT = Buffer.from(
  Array.from({ length: 6_000 }, (_, at) => (at * 2_654_435_761) >>> 13),
);

const word = (random: Random) => {
  const rank = Math.floor(VOCABULARY ** (random.whole(1_000_000) / 1_000_000));
  return `w${((rank * 7_919) % 46_656).toString(36)}${rank}`;
};

function makeText(random: Random): string {
  const words: string[] = [];
  for (let characters = 0; characters < TEXT_CHARACTERS; ) {
    const next = word(random);
    words.push(next);
    characters += next.length + 1;
  }
  return words.join(' ');
}

let entries: PageEntry[] | undefined;

/** The entry of a page for the index of its team. @param number chooses its text */
export function entryOf(url: string, number: number): PageEntry {
  entries ??= Array.from({ length: TEXTS }, (_, index) => {
    const random = seeded(index);
    return makePageEntry({
      url: 'https://site.example/',
      fetchedAt: 0,
      documentType: undefined,
      fields: { markdown: makeText(random) },
      metadata: { title: headline(random), description: `${headline(random)} and ${headline(random)}.` },
    });
  });
  return { ...entries[number % TEXTS]!, url, fetchedAt: Date.now() };
}

/** The trace of a page that a plain fetch has read at the first try. */
export const traceOf = (number: number): PageTrace => ({
  totalMs: 180 + (number % 90),
  cache: { verdict: 'miss', because: 'The cache has no copy.' },
  stages: [
    { stage: 'robots', startMs: 0, ms: 0 },
    { stage: 'cache', startMs: 0, ms: 2 },
    { stage: 'fetch', startMs: 2, ms: 120 + (number % 60) },
    { stage: 'render', startMs: 122 + (number % 60), ms: 11 },
    { stage: 'store', startMs: 133 + (number % 60), ms: 40 },
  ],
  waits: [{ for: 'turn', ms: number % 500 }],
  attempts: [{ engine: 'http', startMs: 2, ms: 120 + (number % 60), result: 'HTTP 200', bytes: 56_000 }],
  statusCode: 200,
  documentBytes: DOCUMENT_BYTES,
  credits: [{ rule: 'page', credits: 1 }],
});

/** The key of a blob among those that were stored together. */
export const blobKeyOf = (group: string, place: number) =>
  `${group}.zst#${place * DOCUMENT_BYTES}+${DOCUMENT_BYTES}`;

/** The copy of a page for the cache. */
export function copyOf(url: string, teamId: string): CacheEntry {
  const hash = createHash('sha256').update(`${url} ${randomUUID()}`).digest('hex');
  return {
    key: createHash('sha256').update(url).digest(),
    teamId,
    blob: `${hash}.json`,
    fetchedAt: new Date(),
    files: [{ hash, bytes: 15_000 }],
  };
}

/** What the cache is asked for before a page is fetched. */
export const copyQueryOf = (url: string, teamId: string) => ({
  key: createHash('sha256').update(url).digest(),
  teamId,
  minMs: 0,
  maxMs: 172_800_000,
});
