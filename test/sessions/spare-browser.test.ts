import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RunningBrowser } from '../../src/sessions/browser/running-browser.ts';
import { SpareBrowser } from '../../src/sessions/browser/spare-browser.ts';
import { createLogger } from '../../src/system/logger.ts';

/** Browsers that only count, because starting real ones is tested elsewhere. */
function countingBrowsers() {
  const open = new Set<number>();
  const died = new Map<number, () => void>();
  let started = 0;
  const start = async () => {
    const number = ++started;
    open.add(number);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    died.set(number, resolve);
    const browser = {
      number,
      chromium: { connection: { closed }, close: async () => void open.delete(number) },
      directory: { remove: async () => undefined },
      code: { close: async () => undefined },
    };
    // Only what a spare browser uses is there.
    return browser as unknown as RunningBrowser & { number: number };
  };
  return { start, open, die: (number: number) => died.get(number)?.() };
}

/** A spare browser that is started at once. */
const spareBrowser = (start: () => Promise<RunningBrowser>) =>
  new SpareBrowser({ start, hasRoom: () => true, logger: createLogger('test', 'error'), delayMs: 0 });

it('a session gets the spare browser, and never one that another session had', async () => {
  const { start, open } = countingBrowsers();
  const spare = spareBrowser(start);
  const first = await spare.take();
  spare.prepare();
  spare.prepare();
  const taken = await Promise.all([spare.take(), spare.take()]);
  expect(new Set([first, ...taken]).size).toBe(3);
  expect(open.size).toBe(3);
});

it('a spare browser that dies is not given to a session', async () => {
  const { start, open, die } = countingBrowsers();
  const spare = spareBrowser(start);
  spare.prepare();
  await expect.poll(() => open.size).toBe(1);
  die(1);
  await new Promise(setImmediate);
  expect(await spare.take()).toMatchObject({ number: 2 });
});

it('no browser remains when the host ends', async () => {
  const { start, open } = countingBrowsers();
  const spare = spareBrowser(start);
  spare.prepare();
  await expect.poll(() => open.size).toBe(1);
  await spare.close();
  spare.prepare();
  await spare.close();
  await sleep(10);
  expect(open.size).toBe(0);
});

it('a session starts its own browser if the spare one did not start', async () => {
  const { start } = countingBrowsers();
  let failures = 1;
  const spare = spareBrowser(() => (failures-- > 0 ? Promise.reject(new Error('no memory')) : start()));
  spare.prepare();
  await expect.poll(() => failures).toBe(0);
  expect(await spare.take()).toMatchObject({ number: 1 });
});
