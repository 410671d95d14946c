import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import { listenOnNewPort } from '../../test/support/network/listen.ts';

/** What became of a scrape that a client waited for. */
export interface Answer {
  /** `ok`, the code of an error, or what was wrong. */
  outcome: string;
  /** What a client should never get: no answer, one without a code, or one that came too late. */
  wrong?: string;
  startedAt: number;
  ms: number;
}

/** The timeout of each scrape, and how long after it the response may come. */
const TIMEOUT_MS = 30_000;
const GRACE_MS = 6_000;
const GIVE_UP_MS = 90_000;
const PAUSE_MS = 250;
/** One of so many documents is so large that it is stored in the bucket. */
const LARGE_EVERY = 4;
const LARGE_BYTES = 300_000;

/** Pages for scrapes: a word of each, and a lot of text in the large ones. */
export async function startScrapedPages() {
  const server = createServer((request, response) => {
    const isLarge = request.url?.startsWith('/large/');
    const filling = isLarge ? randomBytes(LARGE_BYTES / 2).toString('hex') : '';
    response.setHeader('Content-Type', 'text/html');
    response.end(`<main><h1>Page ${request.url}</h1><p>The end. ${filling}</p></main>`);
  });
  const port = await listenOnNewPort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Scrapes one page after the other through each API, until it is stopped. */
export function keepScraping({ urls, key, site }: { urls: string[]; key: string; site: string }) {
  const answers: Answer[] = [];
  let isStopped = false;
  let count = 0;
  const next = async (url: string): Promise<Answer> => {
    const number = count++;
    const path = `/${number % LARGE_EVERY === 0 ? 'large' : 'small'}/${number}-${Date.now()}`;
    const answer = await scrape(url, key, { site, path });
    answers.push(answer);
    return answer;
  };
  const lane = async (url: string) => {
    while (!isStopped) {
      await next(url);
      await sleep(PAUSE_MS);
    }
  };
  const lanes = Promise.all(urls.map(lane));
  return {
    answers,
    /**
     * Resolves with the time of the first response to a scrape that begins from now on, through any API; `undefined`
     * after two minutes.
     */
    async untilServed(): Promise<number | undefined> {
      const until = performance.now() + 2 * 60_000;
      while (performance.now() < until) {
        const answer = await next(urls[count % urls.length] ?? '');
        if (answer.outcome === 'ok') return answer.startedAt + answer.ms;
        await sleep(PAUSE_MS);
      }
      return undefined;
    },
    async stop() {
      isStopped = true;
      await lanes;
    },
  };
}

async function scrape(
  api: string,
  key: string,
  { site, path }: { site: string; path: string },
): Promise<Answer> {
  const startedAt = performance.now();
  const since = () => ({ startedAt, ms: performance.now() - startedAt });
  try {
    const response = await fetch(`${api}/v2/scrape`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: site + path, maxAge: 0, timeout: TIMEOUT_MS }),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    // Responses are read without types, as many clients do.
    const body = (await response.json()) as { code?: string; data?: { markdown?: string } };
    const isServed = response.status === 200 && body.data?.markdown?.includes(`Page ${path}`);
    const outcome = isServed ? 'ok' : (body.code ?? `status ${response.status} without a code`);
    const isUntyped = !isServed && (body.code === undefined || body.code === 'UNKNOWN_ERROR');
    const isLate = since().ms > TIMEOUT_MS + GRACE_MS;
    const wrong = isUntyped
      ? outcome
      : isLate
        ? `${outcome} after ${Math.round(since().ms / 1_000)} s`
        : undefined;
    return { outcome, ...(wrong && { wrong: `${path}: ${wrong}` }), ...since() };
  } catch (error) {
    return { outcome: 'no answer', wrong: `${path}: no answer, ${messageOf(error)}`, ...since() };
  }
}
