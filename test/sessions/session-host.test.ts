import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/embedded/chromium.ts';
import { createLogger } from '../../src/logger.ts';
import { SessionHost } from '../../src/sessions/session-host.ts';
import { createSessionMetrics } from '../../src/sessions/session-metrics.ts';

/** A host of sessions without a service. Its browsers have no network. */

const registry = new Registry();
const config = readConfig();
let host: SessionHost;
beforeAll(async () => {
  const { path: executablePath } = await findChromium(config);
  host = await SessionHost.open({
    ...{ executablePath, cacheDir: config.cacheDir, logger: createLogger('test', 'warn') },
    metrics: createSessionMetrics(registry),
    serveProxy: (connection) => connection.destroy(),
    recordLoss: async () => undefined,
  });
});
afterAll(() => host.close());

const readMetric = async (name: string) => {
  const lines = (await registry.metrics()).split('\n');
  return Number(
    lines
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1) ?? 0,
  );
};

it('the metrics of a host count its sessions, their calls and their ends', async () => {
  const session = await host.open(crypto.randomUUID());
  const run = (code: string, timeoutMs = 30_000) =>
    session.execute({ language: 'node', code, timeoutMs }, new AbortController().signal);
  expect((await run('1 + 1')).result).toBe('2');
  expect((await run('throw new Error("broken")')).exitCode).toBe(1);
  expect((await run('for (;;);', 100)).killed).toBe(true);
  expect(await readMetric('winnow_sessions_open')).toBe(1);
  expect(await readMetric('winnow_session_open_seconds_count')).toBe(1);
  for (const outcome of ['succeeded', 'failed', 'killed']) {
    const calls = `winnow_session_call_seconds_count{language="node",outcome="${outcome}"}`;
    expect(await readMetric(calls), outcome).toBe(1);
  }
  await session.end('idle');
  expect(await readMetric('winnow_sessions_open')).toBe(0);
  expect(await readMetric('winnow_sessions_ended_total{reason="idle"}')).toBe(1);
});

it('code runs in the program that was started ahead, and a second start of it changes nothing', async () => {
  const session = await host.open(crypto.randomUUID());
  await Promise.all([session.startLanguage('node'), session.startLanguage('node')]);
  const run = (code: string) =>
    session.execute({ language: 'node', code, timeoutMs: 30_000 }, new AbortController().signal);
  await run('var kept = page.url()');
  await session.startLanguage('node');
  expect((await run('kept')).result).toBe('about:blank');
  await session.end('deleted');
  // There is nothing to start it for any more, which is no error.
  await session.startLanguage('node');
});
