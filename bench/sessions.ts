import { chromium as playwright } from 'playwright';
import { launchChromium } from '../src/browser/chromium/launch-chromium.ts';
import { readConfig } from '../src/config.ts';
import { findChromium } from '../src/embedded/chromium.ts';
import { createLogger } from '../src/logger.ts';
import { startService } from '../test/support/service.ts';
import { percentile, short, table } from './figures.ts';

/**
 * Measures browser sessions beside the bare start of a Chromium: the time until a session can be used, the first and the
 * later calls of each language, and a command through the gateway.
 * Usage: node bench/sessions.ts [ROUNDS]
 */

const ROUNDS = Number(process.argv[2] ?? 10);
const WARM_CALLS = 50;

const times = new Map<string, number[]>();
async function measure<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await work();
  const known = times.get(name) ?? [];
  known.push(performance.now() - start);
  times.set(name, known);
  return result;
}

const { path: executablePath } = await findChromium(readConfig());
const logger = createLogger('bench', 'warn');
const service = await startService({ env: { LOG_LEVEL: 'warn' } });

async function call(method: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return JSON.parse(text) as Record<string, string>;
}

try {
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await measure('bare launch of Chromium', () =>
      launchChromium({ executablePath, proxyUrl: 'http://127.0.0.1:9', logger }),
    );
    await bare.close();
    const session = await measure('POST /v2/browser', () => call('POST', '/v2/browser', {}));
    const browser = await measure('Playwright connects', () =>
      playwright.connectOverCDP(session.cdpUrl ?? ''),
    );
    const page = browser.contexts()[0]!.pages()[0]!;
    for (let index = 0; index < WARM_CALLS; index++)
      await measure('page.evaluate through the gateway', () => page.evaluate('1 + 1'));
    await browser.close();
    const path = `/v2/browser/${session.id}`;
    for (const [language, code] of [
      ['node', 'await page.evaluate("1 + 1")'],
      ['python', 'await page.evaluate("1 + 1")'],
      ['bash', 'agent-browser get url'],
    ] as const) {
      const execute = () => call('POST', `${path}/execute`, { language, code });
      await measure(`first call: ${language}`, execute);
      for (let index = 0; index < 10; index++) await measure(`warm call: ${language}`, execute);
    }
    for (let index = 0; index < 10; index++)
      await measure('a route that does nothing', () => call('GET', '/v2/concurrency-check'));
    await measure('DELETE /v2/browser/{id}', () => call('DELETE', path));
  }
  console.log(
    table(
      Array.from(times, ([name, each]) => ({
        [`${ROUNDS} sessions one after the other`]: name,
        'p50 ms': short(percentile(each, 0.5)),
        'p99 ms': short(percentile(each, 0.99)),
      })),
    ),
  );
} finally {
  await service.stop();
}
