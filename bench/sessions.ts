import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium as playwright } from 'playwright';
import { WebSocket } from 'ws';
import { readConfig } from '../src/config.ts';
import type { CdpConnection } from '../src/fetch/browser/chromium/cdp.ts';
import { type Chromium, launchChromium } from '../src/fetch/browser/chromium/launch-chromium.ts';
import { findChromium } from '../src/run/embedded/chromium.ts';
import { createLogger } from '../src/system/logger.ts';
import { connectRaw } from '../test/support/browser/protocol.ts';
import { type RunningService, runFileOf, startService } from '../test/support/service/start-service.ts';
import { count, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures browser sessions beside the bare start of a Chromium: the time until a session can be used, the first and the
later calls of each language, and a command through the gateway, beside the same command on the pipe of a browser. Then many sessions at once,
each of which scrolls its page all the time: the memory of each (PSS), and the time of a warm call. At the end, the memory of the
idle service. Takes about three minutes. Starts the service with data of its own, and needs a Chromium.

Usage: node bench/sessions.ts [OPTIONS]

  --rounds N   sessions one after the other (10; 0 for none)
  --rested N   sessions that are each opened after a rest of 70 seconds, when no spare browser is left (0)
  --atOnce N   sessions at once (0)
  --calls N    warm calls in each of them (5)
  --help       print this text
`;

const WARM_CALLS = 10;
const EVALUATIONS = 50;
const EXPRESSION = { expression: '1 + 1' };
/** Time in which pages begin to scroll, and processes finish what they began. */
const SETTLE_MS = 5_000;
/** Time after the end of the last session by which the spare browser has ended, in milliseconds. */
const IDLE_MS = 70_000;
const SCROLL = `await page.setContent('<style>p { font-size: 30px }</style>' + '<p>The quick brown fox</p>'.repeat(500));
await page.evaluate(() => { setInterval(() => scrollTo(0, (scrollY + 20) % 10_000), 16) })`;

const options = readCommandLine(HELP, {
  rounds: count(10, 0),
  rested: count(0, 0),
  atOnce: count(0, 0),
  calls: count(5),
});

async function main({ rounds, rested, atOnce, calls }: typeof options): Promise<void> {
  const service = await startService({ env: { LOG_LEVEL: 'warn' } });
  try {
    const before = memoryOf(service);
    if (rounds) print(await measureRounds(service, rounds));
    if (rested) print(await measureRested(service, rested));
    if (atOnce) print([await measureAtOnce(service, atOnce, calls)]);
    await sleep(IDLE_MS);
    const after = memoryOf(service);
    print(
      Object.keys(after).map((role) => ({
        'PSS in MB': role,
        'after the start': short(before[role] ?? 0),
        'a minute after the last session': short(after[role] ?? 0),
      })),
    );
  } finally {
    await service.stop();
  }
}

function print(rows: Record<string, string | number>[]): void {
  process.stdout.write(`load ${short(loadavg()[0] ?? 0)}\n${table(rows)}\n\n`);
}

/** The memory of the processes of a service in MB, by role. The programs of sessions are below the worker. */
function memoryOf(service: RunningService): Record<string, number> {
  const { children } = runFileOf(service);
  const roots = Object.fromEntries(Object.entries(children).map(([name, { pid }]) => [name, pid]));
  return byRole(sampleProcesses(roots), 'pssMb');
}

/** Calls the API. @throws Error with the response if its status is not 200 */
async function call(
  service: RunningService,
  path: string,
  { method, body }: { method: string; body?: unknown },
): Promise<Record<string, string>> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  // All responses that are read here have texts.
  return JSON.parse(text) as Record<string, string>;
}

function create(service: RunningService): Promise<Record<string, string>> {
  return call(service, '/v2/browser', { method: 'POST', body: {} });
}

function execute(service: RunningService, id: string, body: { code: string; language?: string }) {
  return call(service, `/v2/browser/${id}/execute`, { method: 'POST', body });
}

/** The time of each kind of operation, in milliseconds. */
class Stopwatch {
  readonly #times = new Map<string, number[]>();

  /** Performs an operation, and adds the time that it took. */
  async time<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work();
    this.#times.set(name, [...(this.#times.get(name) ?? []), performance.now() - start]);
    return result;
  }

  /** @param title what was measured */
  rows(title: string): Record<string, string>[] {
    return Array.from(this.#times, ([name, each]) => ({
      [title]: name,
      'p50 ms': short(percentile(each, 0.5)),
      'p99 ms': short(percentile(each, 0.99)),
    }));
  }
}

/** Starts a Chromium as for scrapes, without a session. */
async function launchBare(): Promise<Chromium> {
  const { path: executablePath } = await findChromium(readConfig());
  return launchChromium({
    executablePath,
    proxy: { url: 'http://127.0.0.1:9', doors: async () => [], allowUser: () => undefined },
    logger: createLogger('bench', 'warn'),
  });
}

/** Creates a session, and waits until its browser responds. */
async function createUsable(service: RunningService): Promise<Record<string, string>> {
  const session = await create(service);
  await sendFirstCommand(session.cdpUrl ?? '');
  return session;
}

/** Measures sessions that are opened when nobody has used one for a while. */
async function measureRested(service: RunningService, rounds: number) {
  const watch = new Stopwatch();
  for (let round = 0; round < rounds; round++) {
    await sleep(IDLE_MS);
    const bare = await watch.time('bare launch of Chromium', launchBare);
    await bare.close();
    const { id } = await watch.time('create to usable', () => createUsable(service));
    await call(service, `/v2/browser/${id}`, { method: 'DELETE' });
  }
  return watch.rows(`${rounds} sessions after a rest`);
}

/** Measures sessions one after the other. Only the first one has no spare browser. */
async function measureRounds(service: RunningService, rounds: number) {
  const watch = new Stopwatch();
  const time = watch.time.bind(watch);
  for (let round = 0; round < rounds; round++) {
    const bare = await time('bare launch of Chromium', launchBare);
    const evaluateOnPipe = await evaluatorOn(bare.connection);
    const spare = round ? 'a spare browser' : 'no spare browser';
    const { id = '', cdpUrl = '' } = await time(`create to usable, with ${spare}`, () =>
      createUsable(service),
    );
    await using raw = await connectRaw(cdpUrl);
    const { sessionId } = await raw.openTab();
    // In turns, so that both meet the same load.
    for (let index = 0; index < EVALUATIONS; index++) {
      await time('Runtime.evaluate on the pipe', evaluateOnPipe);
      await time('Runtime.evaluate through the gateway', () =>
        raw.send('Runtime.evaluate', EXPRESSION, sessionId),
      );
    }
    await bare.close();
    const browser = await time('Playwright connects', () => playwright.connectOverCDP(cdpUrl));
    const page = browser.contexts()[0]!.pages()[0]!;
    for (let index = 0; index < EVALUATIONS; index++)
      await time('page.evaluate through the gateway', () => page.evaluate('1 + 1'));
    await browser.close();
    for (const [language, code] of [
      ['node', 'await page.evaluate("1 + 1")'],
      ['python', 'await page.evaluate("1 + 1")'],
      ['bash', 'agent-browser get url'],
    ] as const) {
      // It uses no page, so that the rest of a call is the page's or agent-browser's.
      const codeWithoutPage = language === 'bash' ? 'true' : '1';
      const first = language === 'node' && !round ? 'first call ever' : 'first call';
      await time(`${first}: ${language}`, () => execute(service, id, { language, code }));
      for (let index = 0; index < WARM_CALLS; index++) {
        await time(`warm call: ${language}`, () => execute(service, id, { language, code }));
        await time(`warm call without page: ${language}`, () =>
          execute(service, id, { language, code: codeWithoutPage }),
        );
      }
    }
    for (let index = 0; index < WARM_CALLS; index++)
      await time('a route that does nothing', () =>
        call(service, '/v2/concurrency-check', { method: 'GET' }),
      );
    await time('DELETE /v2/browser/{id}', () => call(service, `/v2/browser/${id}`, { method: 'DELETE' }));
  }
  return watch.rows(`${rounds} sessions one after the other`);
}

/** Opens a tab by the pipe of a browser. @returns a function that evaluates an expression in it */
async function evaluatorOn(connection: CdpConnection): Promise<() => Promise<unknown>> {
  const { targetId } = await connection.browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
  return () => connection.session(sessionId).send('Runtime.evaluate', EXPRESSION);
}

/** Connects a client of the DevTools protocol, and waits for the response to its first command. */
function sendFirstCommand(url: string): Promise<void> {
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send('{"id":1,"method":"Browser.getVersion"}'));
    socket.once('message', () => {
      socket.close();
      resolve();
    });
  });
}

/** Measures sessions that scroll at the same time. */
async function measureAtOnce(service: RunningService, sessions: number, calls: number) {
  const before = memoryOf(service);
  const ids: string[] = [];
  for (let index = 0; index < sessions; index++) {
    const { id = '' } = await create(service);
    ids.push(id);
    await execute(service, id, { code: SCROLL });
  }
  await sleep(SETTLE_MS);
  const added = sumOf(memoryOf(service)) - sumOf(before);
  const times: number[] = [];
  for (let round = 0; round < calls; round++)
    for (const id of ids) {
      const start = performance.now();
      await execute(service, id, { code: 'await page.evaluate("scrollY")' });
      times.push(performance.now() - start);
    }
  for (const id of ids) await call(service, `/v2/browser/${id}`, { method: 'DELETE' });
  return {
    'sessions at once': sessions,
    'PSS of each in MB, with its share of the host and of the spare browser': short(added / sessions),
    'warm call: p50 ms': short(percentile(times, 0.5)),
    'p99 ms': short(percentile(times, 0.99)),
    'slowest ms': short(Math.max(...times)),
  };
}

function sumOf(figures: Record<string, number>): number {
  return Object.values(figures).reduce((sum, each) => sum + each, 0);
}

await main(options);
