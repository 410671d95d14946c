import type { EngineAttempt, PageTrace, Stage, WaitReason } from '../../schemas/page-trace.ts';

/** How a page ended, with the record of its way. */
interface TracedPage {
  status: 'scraping' | 'running' | 'completed' | 'failed';
  error: { code: string } | null;
  trace: PageTrace;
}

const ENGINES: Record<string, string> = { http: 'a plain fetch', browser: 'the browser' };
const WORK: Record<Stage, string> = {
  queue: 'waiting for a slot',
  robots: 'waiting for robots.txt',
  cache: 'looking into the cache',
  fetch: 'fetching the page',
  document: 'converting the document',
  render: 'deriving the formats',
  models: 'asking the language model',
  formats: 'finishing the formats',
  store: 'storing the result',
};
const WAITS: Record<WaitReason, string> = {
  slot: 'a slot of the team',
  turn: 'its turn',
  host: 'the delay of its host',
  robots: 'robots.txt',
  browser: 'a browser',
  parser: 'a parser of documents',
};
/** A wait is worth a mention from this many milliseconds on. */
const NOTICED_WAIT_MS = 500;
/** A stage is named if it took at least this share of all. */
const MAIN_SHARE = 0.5;

/** Sums up in one sentence how a page went. */
export function summarizeTrace({ status, error, trace }: TracedPage): string {
  const parts = [
    ...(status === 'scraping' || status === 'running' ? ['the page is not done yet'] : []),
    ...(status === 'failed' && error ? [`the page failed with ${error.code}`] : []),
    ...describeSource(trace),
    ...describeTime(trace),
    ...describeCost(trace),
  ];
  if (parts.length === 0) return 'There is no record of how the page went.';
  const sentence = parts.join('; ');
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}.`;
}

/** Where the page came from: the copy, or each engine with the reason for the next one. */
function describeSource({ attempts, cache }: PageTrace): string[] {
  if (cache?.verdict === 'hit')
    return [`the page came from the cache, whose copy was ${duration(cache.ageMs ?? 0)} old`];
  if (attempts.length === 0) return [];
  return [attempts.map((attempt, index) => describeAttempt(attempt, attempts[index - 1])).join(', ')];
}

function describeAttempt(attempt: EngineAttempt, previous: EngineAttempt | undefined): string {
  const { ms, result, redirects = [], blockedBy, because } = attempt;
  // The previous attempt has said its own result, unless that result was the page.
  const reason = because === undefined || because === previous?.result ? 'so ' : `which was ${because}, so `;
  const isChallenge = blockedBy !== undefined && blockedBy !== result;
  return [
    previous ? reason : '',
    `${nameOf(attempt.engine)} got ${result}`,
    isChallenge ? ` with a challenge by ${blockedBy}` : '',
    redirects.length ? ` after ${count(redirects.length, 'redirect')}` : '',
    ` in ${duration(ms)}`,
  ].join('');
}

/** The name of an engine in a sentence. Its proxies may follow its name. */
function nameOf(engine: string): string {
  const [name = '', ...proxies] = engine.split(' by ');
  const known = ENGINES[name] ?? name;
  return proxies.length ? `${known} by an ${proxies.join(' by ')}` : known;
}

function describeTime({ totalMs, stages = [], waits = [] }: PageTrace): string[] {
  const waited = waits
    .filter(({ ms }) => ms >= NOTICED_WAIT_MS)
    .map(({ for: reason, ms }) => `it waited ${duration(ms)} for ${WAITS[reason]}`);
  if (totalMs === undefined) return waited;
  const main = stages.find(({ ms }) => ms > 0 && ms >= totalMs * MAIN_SHARE);
  return [...waited, `it took ${duration(totalMs)}${main ? `, most of that for ${WORK[main.stage]}` : ''}`];
}

function describeCost({ credits, modelCalls = [] }: PageTrace): string[] {
  const sum = credits?.reduce((total, each) => total + each.credits, 0);
  return [
    ...(modelCalls.length ? [`it took ${count(modelCalls.length, 'call')} of the language model`] : []),
    ...(sum === undefined ? [] : [`it cost ${count(sum, 'credit')}`]),
  ];
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Milliseconds as people read them. */
function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} minutes`;
  return `${Math.round(ms / 3_600_000)} hours`;
}
