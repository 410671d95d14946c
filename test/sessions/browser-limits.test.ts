import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_BROWSER_MEMORY_GB, MAX_BROWSER_STORAGE_MB } from '../../src/schemas/session-end.ts';
import type { HostedSession } from '../../src/sessions/hosted-session.ts';
import { openTestSessionHost, type TestSessionHost } from '../support/sessions/session-host.ts';

/**
 * Pages of a session cannot use more memory or disk of its host than they may. The limits here are smaller
 * than those of the service.
 */

const MEGABYTE = 1024 ** 2;
/** A busy machine takes ten times as long. */
const TIMEOUT_MS = 180_000;
let opened: TestSessionHost;
beforeAll(async () => {
  opened = await openTestSessionHost({
    browserLimits: { memoryBytes: 700 * MEGABYTE, profileBytes: 80 * MEGABYTE },
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

const run = (session: HostedSession, code: string) =>
  session.execute({ language: 'node', code, timeoutMs: 120_000 }, new AbortController().signal);

const endsBecauseOf = (reason: string) =>
  opened.readMetric(`winnow_sessions_ended_total{reason="${reason}"}`);

it('a session ends when its pages together use more memory than it may, none of them alone', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [session, other] = await Promise.all([
    opened.host.open(crypto.randomUUID()),
    opened.host.open(crypto.randomUUID()),
  ]);
  const held = (megabytes: number) => `
    globalThis.tabs ??= [];
    const tab = await context.newPage();
    tabs.push(tab);
    await tab.evaluate(() => { self.held = new Uint8Array(${megabytes} * 2 ** 20).fill(1) }); tabs.length`;
  // Several tabs are no reason to end it.
  for (const tabs of ['1', '2']) expect((await run(session, `{ ${held(20)} }`)).result).toBe(tabs);
  const growing = run(
    session,
    `for (;;) { ${held(150)}; await new Promise((done) => setTimeout(done, 300)) }`,
  );
  await expect(growing).rejects.toMatchObject({
    code: 'SESSION_DESTROYED',
    message: expect.stringContaining(
      `(memory), and code that still ran was interrupted. Its browser used more than ${MAX_BROWSER_MEMORY_GB} GiB of memory.`,
    ),
  });
  expect(await session.ended).toBe('memory');
  expect(await endsBecauseOf('memory')).toBe(1);
  expect((await run(other, '1 + 1')).result).toBe('2');
  await other.end('deleted');
});

it('a session ends when its pages store more than they may, each site for itself less', {
  timeout: TIMEOUT_MS,
}, async () => {
  const session = await opened.host.open(crypto.randomUUID());
  const stored = (site: number, megabytes: number) => `
    await page.goto('https://site-${site}.test/');
    await page.evaluate(async () => {
      const cache = await caches.open('large');
      for (let index = 0; index < ${megabytes}; index++) {
        const bytes = crypto.getRandomValues(new Uint8Array(2 ** 16));
        await cache.put('/' + index, new Response(new Blob(Array(16).fill(bytes))));
      }
    })`;
  await run(
    session,
    `await context.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<p>A page' }))`,
  );
  expect(await run(session, stored(1, 30))).toMatchObject({ exitCode: 0 });
  const filling = run(session, `${stored(2, 30)}; ${stored(3, 40)}; await new Promise(() => {})`);
  await expect(filling).rejects.toMatchObject({
    code: 'SESSION_DESTROYED',
    message: expect.stringContaining(
      `(disk), and code that still ran was interrupted. Its pages stored more than ${MAX_BROWSER_STORAGE_MB} MiB`,
    ),
  });
  expect(await session.ended).toBe('disk');
  expect(await endsBecauseOf('disk')).toBe(1);
});
