import path from 'node:path';
import { short, table, withSection } from '../../../bench/figures.ts';

/** The tables of docs/scaling.md: what was measured, and what follows from it. */

export const SCALING_PAGE = path.join(import.meta.dirname, '../../../docs/scaling.md');

/** A figure of the formulas: its value, its unit, what it is, and where it comes from. */
interface Figure {
  value: number;
  unit: string;
  meaning: string;
  source: string;
}

const assumed = (value: number, unit: string, meaning: string): Figure => ({
  value,
  unit,
  meaning,
  source: 'assumed: put in your own',
});
const estimated = (value: number, unit: string, meaning: string): Figure => ({
  value,
  unit,
  meaning,
  source: 'estimated: measure it by `bench/capacity.ts`',
});
const measured = (value: number, unit: string, meaning: string, command: string): Figure => ({
  value,
  unit,
  meaning,
  source: `measured: \`${command}\``,
});
const CAPACITY = 'bench/capacity.ts';

/** What the formulas reckon with, by the names that they have there. */
const FIGURES = {
  peak: assumed(3, '×', 'peak ÷ average'),
  busy: assumed(0.6, '', 'share of a core that is busy at the peak'),
  browser: assumed(0.1, '', 'share of pages that need a browser'),
  single: assumed(0.1, '', 'share of pages that are scrapes of their own, not of crawls or batches'),
  sessions: assumed(0.001, '', 'browser sessions for each page'),
  minutes: assumed(5, 'min', 'how long a session is open'),
  run: assumed(48, 'pages', 'pages of one run of a page worker: 16 at once for 3 s, one second each'),
  days: assumed(1, 'day', 'how long results are kept: `WINNOW_RESULT_TTL_HOURS`'),
  plainMs: measured(9.7, 'CPU-ms', 'a page without a browser, on a worker', 'bench/crawl.ts'),
  browserMs: measured(117, 'CPU-ms', 'a page in the browser, on a worker', 'bench/browser.ts'),
  apiMs: measured(4.6, 'CPU-ms', 'a scrape, on an API', 'bench/scrape.ts'),
  pageMs: measured(3.0, 'CPU-ms', 'a page of a crawl, on Postgres', CAPACITY),
  scrapeMs: measured(6.2, 'CPU-ms', 'a scrape, on Postgres', CAPACITY),
  sessionMs: measured(7.7, 'CPU-ms', 'a session, on Postgres', CAPACITY),
  recordMs: measured(12.6, 'CPU-ms', 'the record of a scrape, on Temporal', CAPACITY),
  recordStoreMs: measured(16.6, 'CPU-ms', 'the same, on the Postgres of Temporal', CAPACITY),
  runMs: measured(38, 'CPU-ms', 'a run of a page worker, on Temporal', CAPACITY),
  runStoreMs: measured(18.5, 'CPU-ms', 'the same, on the Postgres of Temporal', CAPACITY),
  workflowMs: measured(119, 'CPU-ms', 'the workflow of a session, on Temporal', CAPACITY),
  workflowStoreMs: measured(95, 'CPU-ms', 'the same, on the Postgres of Temporal', CAPACITY),
  pageWal: measured(60, 'KB', 'log of Postgres for a page of a crawl', CAPACITY),
  scrapeWal: estimated(60, 'KB', 'log of Postgres for a scrape'),
  recordWal: estimated(30, 'KB', 'log of Postgres for the record of a scrape in Temporal'),
  runWal: estimated(30, 'KB', 'log of Postgres for a run of a page worker in Temporal'),
  pageBytes: measured(1.7, 'KB', 'a page of a crawl at rest: row and indexes', `${CAPACITY} --rest`),
  ledgerBytes: measured(0.16, 'KB', 'its ledger entry, which is kept for ever', `${CAPACITY} --rest`),
  scrapeBytes: measured(10, 'KB', 'a scrape at rest, with its small result', 'decision 0045'),
  recordBytes: estimated(8, 'KB', 'the record of a scrape in Temporal'),
  runBytes: estimated(5, 'KB', 'a run of a page worker in Temporal'),
  documentBytes: measured(10, 'KB', 'a document in the bucket, compressed', 'decision 0045'),
  sessionMb: measured(250, 'MB', 'memory of the browser of a session', 'bench/sessions.ts'),
} satisfies Record<string, Figure>;

const SECONDS_PER_MONTH = 30 * 86_400;
const SECONDS_PER_DAY = 86_400;
/** Days that Temporal keeps histories. */
const HISTORY_DAYS = 7;
const MB = 1_000;
const GB = 1_000_000;

/** The value of each figure. */
const f = Object.fromEntries(Object.entries(FIGURES).map(([name, { value }]) => [name, value])) as Record<
  keyof typeof FIGURES,
  number
>;

/** What a number of pages a month needs. Cores are those at the peak, sizes those after a year. */
export function needsOf(pagesPerMonth: number) {
  const average = pagesPerMonth / SECONDS_PER_MONTH;
  const peak = average * f.peak;
  const coresFor = (msPerPage: number) => (peak * msPerPage) / 1_000 / f.busy;
  const crawled = 1 - f.single;
  const openSessions = peak * f.sessions * f.minutes * 60;
  const perDay = average * SECONDS_PER_DAY;
  return {
    average,
    peak,
    api: coresFor(f.single * f.apiMs),
    plain: coresFor((1 - f.browser) * f.plainMs),
    browser: coresFor(f.browser * f.browserMs),
    openSessions,
    sessionGb: (openSessions * f.sessionMb) / 1_000,
    postgres: coresFor(crawled * f.pageMs + f.single * f.scrapeMs + f.sessions * f.sessionMs),
    temporal: coresFor((crawled / f.run) * f.runMs + f.single * f.recordMs + f.sessions * f.workflowMs),
    temporalStore: coresFor(
      (crawled / f.run) * f.runStoreMs + f.single * f.recordStoreMs + f.sessions * f.workflowStoreMs,
    ),
    walGb: (perDay * (crawled * f.pageWal + f.single * f.scrapeWal)) / GB,
    temporalWalGb: (perDay * ((crawled / f.run) * f.runWal + f.single * f.recordWal)) / GB,
    resultsGb: (perDay * f.days * (crawled * f.pageBytes + f.single * f.scrapeBytes)) / GB,
    ledgerGb: (pagesPerMonth * 12 * f.ledgerBytes) / GB,
    temporalGb: (perDay * HISTORY_DAYS * ((crawled / f.run) * f.runBytes + f.single * f.recordBytes)) / GB,
    bucketGb: (perDay * f.days * crawled * f.documentBytes) / GB,
  };
}

const LOADS = { '1 M': 1e6, '10 M': 1e7, '100 M': 1e8, '1 B': 1e9 };

const cores = (value: number) => (value < 0.1 ? '< 0.1' : value < 10 ? value.toFixed(1) : value.toFixed(0));
const gigabytes = (value: number) =>
  value < 1 ? `${Math.max(1, Math.round(value * MB))} MB` : `${short(value)} GB`;
const whole = (value: number) => String(Math.ceil(value));

/** The rows of the table of needs: what, how it is computed, and how a value is written. */
const ROWS: [string, keyof ReturnType<typeof needsOf>, (value: number) => string][] = [
  ['pages a second, average', 'average', (value) => value.toFixed(1)],
  ['pages a second, peak', 'peak', (value) => value.toFixed(1)],
  ['cores of APIs', 'api', cores],
  ['cores of page workers, without a browser', 'plain', cores],
  ['cores of page workers, in the browser', 'browser', cores],
  ['sessions open at once', 'openSessions', whole],
  ['memory of session hosts', 'sessionGb', gigabytes],
  ['cores of Postgres', 'postgres', cores],
  ['cores of Temporal', 'temporal', cores],
  ["cores of Temporal's Postgres", 'temporalStore', cores],
  ['log of Postgres a day', 'walGb', gigabytes],
  ["log of Temporal's Postgres a day", 'temporalWalGb', gigabytes],
  ['results in Postgres', 'resultsGb', gigabytes],
  ['ledger after a year', 'ledgerGb', gigabytes],
  ["Temporal's databases", 'temporalGb', gigabytes],
  ['documents in the bucket', 'bucketGb', gigabytes],
];

const needs = () =>
  table(
    ROWS.map(([what, name, write]) => ({
      'pages a month': what,
      ...Object.fromEntries(
        Object.entries(LOADS).map(([load, pages]) => [load, write(needsOf(pages)[name])]),
      ),
    })),
  );

const figures = () =>
  table(
    Object.entries(FIGURES).map(([name, { value, unit, meaning, source }]) => ({
      name: `\`${name}\``,
      value: `${value} ${unit}`.trim(),
      meaning,
      'where from': source,
    })),
  );

/** Replaces the tables of the page by those that the figures give. */
export const withScalingTables = (page: string): string =>
  withSection(withSection(page, 'needs', needs()), 'figures', figures());
