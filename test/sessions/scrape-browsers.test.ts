import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Disconnected } from '../../src/fetch/browser/chromium/cdp.ts';
import type { RunningBrowser } from '../../src/sessions/browser/running-browser.ts';
import { ScrapeBrowsers } from '../../src/sessions/browser/scrape-browsers.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Browsers that do nothing but count and end. */
function countingBrowsers() {
  const open = new Set<number>();
  const ends: (() => void)[] = [];
  let started = 0;
  const take = async () => {
    const number = ++started;
    open.add(number);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const close = async () => {
      open.delete(number);
      resolve();
    };
    ends[number] = close;
    const browser = {
      send: async () => ({ targetInfos: [] }),
      on: () => undefined,
      off: () => undefined,
    };
    // What these tests use of a browser.
    return {
      number,
      chromium: { connection: { browser, closed }, close },
      directory: { remove: async () => undefined },
      code: { close: async () => undefined },
    } as unknown as RunningBrowser;
  };
  return { take, open, crash: (number: number) => ends[number]?.() };
}

const LONG_MS = 600_000;

function startBrowsers(options: Partial<ConstructorParameters<typeof ScrapeBrowsers>[0]> = {}) {
  const counting = countingBrowsers();
  const limits = { browsers: 2, keptMs: LONG_MS, leastKeptMs: 0, ...options.limits };
  const logger = { warn: () => undefined };
  const browsers = new ScrapeBrowsers({
    take: counting.take,
    hasRoom: () => true,
    logger,
    ...options,
    limits,
  });
  /** Runs a scrape and keeps its browser. @returns whether it got one */
  const scrape = async (id: string) => {
    using browser = browsers.browserFor(id, LONG_MS);
    const visited = await browser.visit(async () => id, new AbortController().signal);
    expect(visited?.result ?? id).toBe(id);
    return browser.keep();
  };
  return { ...counting, browsers, scrape };
}

it('a host keeps few pages of scrapes, and the oldest ends first', async () => {
  const { browsers, scrape, open } = startBrowsers();
  for (const id of ['a', 'b', 'c']) expect(await scrape(id)).toBe(true);
  expect([...open]).toEqual([2, 3]);
  expect(browsers.take('a')).toBeUndefined();
  expect(browsers.take('b')).toMatchObject({ number: 2 });
  // It belongs to a session now, which ends it.
  expect(await browsers.endOldest()).toBe(true);
  expect([...open]).toEqual([2]);
  expect(await browsers.endOldest()).toBe(false);
});

it('a series of scrapes does not start a browser for each', async () => {
  const { browsers, scrape, open } = startBrowsers({
    limits: { browsers: 2, keptMs: LONG_MS, leastKeptMs: LONG_MS },
  });
  expect([await scrape('a'), await scrape('b'), await scrape('c')]).toEqual([true, true, false]);
  expect([...open]).toEqual([1, 2]);
  await browsers.close();
  expect(open.size).toBe(0);
});

it('a page of a scrape is kept for a limited time', async () => {
  const { browsers, scrape, open } = startBrowsers({ limits: { browsers: 2, keptMs: 50, leastKeptMs: 0 } });
  await scrape('a');
  await pollUntil(() => open.size === 0);
  expect(browsers.take('a')).toBeUndefined();
});

it('a browser that dies is not handed over', async () => {
  const { browsers, scrape, crash } = startBrowsers();
  await scrape('a');
  crash(1);
  await pollUntil(() => browsers.take('a') === undefined);
});

it('a scrape whose browser dies fails, and leaves nothing', async () => {
  const { browsers, crash, open } = startBrowsers();
  using browser = browsers.browserFor('a', LONG_MS);
  const visit = browser.visit(() => new Promise<never>(() => undefined), new AbortController().signal);
  const failed = expect(visit).rejects.toThrow(Disconnected);
  await pollUntil(() => open.size === 1);
  await sleep(0);
  crash(1);
  await failed;
  expect(browser.keep()).toBe(false);
});

it('only the page of the last visit is kept, and none after a failure', async () => {
  const { browsers, open } = startBrowsers();
  const { signal } = new AbortController();
  using browser = browsers.browserFor('a', LONG_MS);
  await browser.visit(async () => 1, signal);
  await browser.visit(async () => 2, signal);
  expect([...open]).toEqual([2]);
  await expect(browser.visit(() => Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  expect([open.size, browser.keep()]).toEqual([0, false]);
});

it('a scrape that is repeated keeps one page', async () => {
  const { browsers, scrape, open } = startBrowsers();
  expect([await scrape('a'), await scrape('a')]).toEqual([true, true]);
  expect([...open]).toEqual([2]);
  expect(browsers.take('a')).toMatchObject({ number: 2 });
});

it('a scrape goes on without a browser of its own when memory is short, or when none starts in time', async () => {
  const short = startBrowsers({ hasRoom: () => false });
  expect(await short.scrape('a')).toBe(false);
  const { take, open } = countingBrowsers();
  const started = Promise.withResolvers<void>();
  const late = startBrowsers({ take: () => started.promise.then(take) });
  using browser = late.browsers.browserFor('a', 1);
  expect(await browser.visit(async () => 1, new AbortController().signal)).toBeUndefined();
  started.resolve();
  await started.promise;
  // The late one is ended.
  await pollUntil(() => open.size === 0);
});
