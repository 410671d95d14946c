import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { splitSentences } from '../src/content/answers/sentences.ts';
import { createContent } from '../src/content/html/content.ts';
import { makePageEntry, type PageEntry } from '../src/content/indexing/page-entry.ts';
import { searchOwnIndex } from '../src/jobs/search/own-index.ts';
import { reservePort } from '../src/run/embedded/ports.ts';
import { preparePostgres } from '../src/run/embedded/postgres.ts';
import { searchBody } from '../src/schemas/search.ts';
import { type Database, openDatabase } from '../src/storage/db/client.ts';
import { migrate } from '../src/storage/db/migrate.ts';
import { addIndexedPages } from '../src/storage/db/pages/indexed-pages.ts';
import { createTeam } from '../src/storage/db/teams/teams.ts';
import { untilAborted } from '../src/system/until-aborted.ts';
import { count, directory, readCommandLine, required } from './command-line.ts';
import { percentile, table } from './figures.ts';
import { runInterruptible } from './interrupt.ts';
import { sampleProcesses } from './processes.ts';
import { type KitPage, readPages } from './quality/kit.ts';

const HELP = `Measures the index of POST /v2/search on a Postgres of its own: what a page costs, how often a sentence of a page finds
it, and how long a search takes. Takes some minutes. Needs Linux.

Usage: node bench/search.ts --kit DIR [OPTIONS]

  --kit DIR   directory of the quality kit, which has the set wcxb
  --pages N   pages in the index for the duration of searches (100000)
  --help      print this text
`;

const options = readCommandLine(HELP, { kit: required(directory()), pages: count(100_000) });

/** Pages that a page worker records in one transaction. */
const BATCH = 8;
const FIRST_PAGE_AT = Date.UTC(2026, 0, 1);
const SENTENCE = { min: 40, max: 300 };

let state = 42;
/** A random number from 0 to 1, from a fixed seed (a linear congruential generator). */
function random(): number {
  state = (state * 1_664_525 + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;

/** A page of the kit, as the service receives it. */
interface ScrapedPage {
  url: string;
  markdown: string;
  metadata: Record<string, string | string[]>;
  /** The annotated main content. */
  text: string;
}

async function scrape({ id, url: given, file, text }: KitPage): Promise<ScrapedPage> {
  const url = given || `https://page.example/${id}`;
  const html = gunzipSync(await readFile(file)).toString();
  const snapshot = {
    sourceUrl: url,
    url,
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    text: html,
    kind: 'html' as const,
    engine: 'http' as const,
    fetchedAt: 0,
    files: {},
    proxy: 'basic' as const,
  };
  const { markdown, metadata } = createContent(snapshot, { onlyMainContent: true, removeBase64Images: true });
  return { url, markdown, metadata, text };
}

const entryOf = ({ url, markdown, metadata }: ScrapedPage, number: number): PageEntry =>
  makePageEntry({
    url,
    metadata,
    fields: { markdown },
    fetchedAt: FIRST_PAGE_AT + number,
    documentType: undefined,
  });

/** CPU milliseconds of this process and of Postgres with all its processes so far. */
function cpuMs(postgres: number): { own: number; postgres: number } {
  const { user, system } = process.cpuUsage();
  const samples = sampleProcesses({ postgres });
  return { own: (user + system) / 1_000, postgres: samples.reduce((sum, sample) => sum + sample.cpuMs, 0) };
}

async function addInBatches(db: Database, teamId: string, entries: PageEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += BATCH)
    await addIndexedPages(db.query, teamId, entries.slice(at, at + BATCH));
}

/** Indexes the pages twice, for one team each, and measures the second time, when the code is compiled. */
async function measureIndexing(db: Database, pages: ScrapedPage[], postgres: number) {
  await addInBatches(db, await createTeam(db, 'warm-up', null), pages.map(entryOf));
  const teamId = await createTeam(db, 'measured', null);
  const before = cpuMs(postgres);
  // A rendering thread makes the entries, which are cloned on their way out of it.
  const entries = pages.map((page, number) => structuredClone(entryOf(page, number)));
  const made = cpuMs(postgres);
  const add = async (added: PageEntry[]) => {
    await addInBatches(db, teamId, added);
    // The merges of the pending entries and the writes of the checkpoint are a part of the cost.
    await db.pool.query('vacuum indexed_pages');
    await db.pool.query('checkpoint');
  };
  await add(entries);
  const after = cpuMs(postgres);
  await add(entries.map((entry) => ({ ...entry, fetchedAt: entry.fetchedAt + 1_000 })));
  const again = cpuMs(postgres);
  const perPage = (ms: number) => (ms / pages.length).toFixed(2);
  console.log(`\n${pages.length} pages, ${BATCH} in a transaction; CPU-ms a page`);
  console.log(
    table([
      { step: 'words and text (rendering thread)', 'CPU-ms': perPage(made.own - before.own) },
      { step: 'statement (worker)', 'CPU-ms': perPage(after.own - made.own) },
      { step: 'Postgres', 'CPU-ms': perPage(after.postgres - before.postgres) },
      { step: 'total', 'CPU-ms': perPage(after.own - before.own + after.postgres - before.postgres) },
      { step: 'Postgres, the same text again', 'CPU-ms': perPage(again.postgres - after.postgres) },
    ]),
  );
  return teamId;
}

/** The sentence at a share of a text's length, 0 to 1, among those of a usual length. */
function sentenceAt(text: string, share: number): string | undefined {
  const sentences = text
    .split('\n')
    .flatMap(splitSentences)
    .filter(({ length }) => length >= SENTENCE.min && length <= SENTENCE.max);
  return sentences[Math.floor((sentences.length - 1) * share)];
}

const PLACES = { first: 0, middle: 0.5, last: 1, random: undefined };

async function search(db: Database, teamId: string, query: string) {
  const startedAt = performance.now();
  const { data } = await searchOwnIndex(db, teamId, searchBody.parse({ query }));
  return { web: data.web ?? [], ms: performance.now() - startedAt };
}

/** Searches for a sentence of each page, and counts those whose page comes first. */
async function measureQuality(db: Database, teamId: string, pages: ScrapedPage[]): Promise<void> {
  const rows = [];
  for (const [place, share] of Object.entries(PLACES)) {
    const ranks: number[] = [];
    let absent = 0;
    for (const { url, markdown, text } of pages) {
      const query = sentenceAt(text, share ?? random());
      if (!query) continue;
      if (!markdown.includes(query.split(' ').slice(0, 4).join(' '))) absent++;
      const { web } = await search(db, teamId, query);
      ranks.push(web.findIndex((result) => result.url === url));
    }
    const share1 = ranks.filter((rank) => rank === 0).length / ranks.length;
    const share3 = ranks.filter((rank) => rank >= 0 && rank < 3).length / ranks.length;
    rows.push({
      sentence: place,
      queries: ranks.length,
      'first hit': `${(100 * share1).toFixed(1)} %`,
      'among the first three': `${(100 * share3).toFixed(1)} %`,
      'not in the markdown': absent,
    });
  }
  console.log(`\nA sentence of the annotated main content of each page as the query\n${table(rows)}`);
}

/** Fills the index with pages whose paragraphs come from the pages of the kit. */
async function fill(db: Database, teamId: string, pages: ScrapedPage[], count: number): Promise<void> {
  const lines = pages.flatMap(({ markdown }) => markdown.split('\n').filter((line) => line.length > 60));
  const titles = pages.map(({ metadata }) => String(metadata.title ?? ''));
  for (let added = 0; added < count; ) {
    const entries = Array.from({ length: Math.min(100, count - added) }, (_, index) => {
      const number = added + index;
      const markdown = Array.from({ length: 3 + Math.floor(random() * 15) }, () => pick(lines)).join('\n');
      const page = { url: `https://host${number % 700}.example/${number}`, markdown, text: '' };
      return entryOf({ ...page, metadata: { title: pick(titles) } }, pages.length + number);
    });
    await addIndexedPages(db.query, teamId, entries);
    added += entries.length;
  }
  await db.pool.query('vacuum analyze indexed_pages');
}

const SHORT_QUERIES = [
  ...['coffee machine', 'how to fix a broken laptop screen', 'best running shoes', 'privacy policy', 'apple'],
  ...[
    'machine learning',
    'new york hotels',
    'what is the price of gold',
    'python',
    'how to learn english fast',
  ],
];

async function measureDuration(db: Database, teamId: string, pages: ScrapedPage[]): Promise<void> {
  const sentences = pages.flatMap(({ text }) => sentenceAt(text, random()) ?? []).slice(0, 300);
  const kinds = { sentences, 'two or three words': Array.from({ length: 200 }, () => pick(SHORT_QUERIES)) };
  const rows = [];
  for (const [name, queries] of Object.entries(kinds)) {
    for (const query of queries.slice(0, 20)) await search(db, teamId, query);
    const times = [];
    for (const query of queries) times.push((await search(db, teamId, query)).ms);
    rows.push({
      queries: name,
      number: times.length,
      'p50 ms': percentile(times, 0.5).toFixed(1),
      'p95 ms': percentile(times, 0.95).toFixed(1),
    });
  }
  const { rows: sizes } = await db.pool.query<{ pages: number; mb: number; words: number }>(
    `select count(*)::int as pages, (pg_total_relation_size('indexed_pages') / 1e6)::float8 as mb,
      (pg_relation_size('indexed_pages_words') / 1e6)::float8 as words from indexed_pages`,
  );
  const { pages: count, mb, words } = sizes[0]!;
  console.log(
    `\n${count} pages (${mb.toFixed(0)} MB, ${words.toFixed(0)} MB of them the index of words), without HTTP and Temporal`,
  );
  console.log(table(rows));
}

/** Takes all measurements. @param postgres process id of the server of the database */
async function measureAll(db: Database, postgres: number): Promise<void> {
  await migrate(db);
  const pages = await Promise.all((await readPages(options.kit, 'wcxb')).map(scrape));
  const teamId = await measureIndexing(db, pages, postgres);
  await measureQuality(db, teamId, pages);
  // The first team's entries are a part of them.
  await fill(db, teamId, pages, Math.max(0, options.pages - 2 * pages.length));
  await measureDuration(db, teamId, pages);
}

async function main(interrupt: AbortSignal): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'winnow-bench-search-'));
  chmodSync(dataDir, 0o755);
  const reserved = await reservePort(5432);
  const { port } = reserved;
  const { plan, url } = await preparePostgres({ dataDir, port });
  const server = plan.launch();
  try {
    await plan.ready(server, AbortSignal.any([interrupt, AbortSignal.timeout(60_000)]));
    const db = openDatabase(url, (error) => console.error(error.message));
    try {
      await untilAborted(() => measureAll(db, server.pid!), interrupt);
    } finally {
      await db.close();
    }
  } finally {
    server.kill('SIGINT');
    await new Promise((resolve) => server.once('exit', resolve));
    reserved.release();
    rmSync(dataDir, { recursive: true });
  }
}

await runInterruptible(main);
