import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { BrowserPool, type PoolOptions } from '../../../src/fetch/browser/chromium/browser-pool.ts';
import { type Chromium, launchChromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import { ownKbOf, readOwnMb } from '../../../src/fetch/browser/chromium/process-memory.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** How browsers are handed out, and when they are replaced; with real ones. */

let executablePath: string;
beforeAll(async () => {
  executablePath = (await findChromium(readConfig())).path;
});

const logger = pino({ level: 'silent' });
const launched: Chromium[] = [];
const running = new Set<Chromium>();
async function launch(): Promise<Chromium> {
  // Nothing listens there: these tests load no page.
  const proxy = { url: 'http://127.0.0.1:9', doors: async () => [], allowUser: () => undefined };
  const browser = await launchChromium({ executablePath, proxy, logger });
  launched.push(browser);
  running.add(browser);
  void browser.connection.closed.then(() => running.delete(browser));
  return browser;
}

let pool: BrowserPool;
const open = (options: Partial<PoolOptions> = {}) => {
  pool = new BrowserPool({ launch, logger, contexts: 2, ...options });
};
afterEach(async () => {
  await pool.close();
  launched.length = 0;
});
// The end of a connection may be heard after that of its process.
afterAll(() => pollUntil(() => running.size === 0));

const never = new AbortController().signal;
/** A page that stays open until it is let go. */
function hold(signal = never) {
  const opened = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const { promise: loaded, resolve: endLoading } = Promise.withResolvers<void>();
  const done = pool.lease(
    {},
    async (context, endLoading) => {
      await context.openPage();
      opened.resolve();
      void loaded.then(endLoading);
      await letGo.promise;
      return context.connection;
    },
    signal,
  );
  done.catch(() => undefined);
  return { opened: opened.promise, letGo: () => letGo.resolve(), endLoading, done };
}
const isOpen = (held: ReturnType<typeof hold>, ms = 300) =>
  Promise.race([held.opened.then(() => true), new Promise((resolve) => setTimeout(resolve, ms, false))]);

/** The processes of the pages of a browser that take the processors or wait for them. */
async function pageProcesses({ browser }: Chromium['connection']): Promise<number[]> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

describe.runIf(existsSync('/proc/self/autogroup'))('a page that takes a processor for long', () => {
  it('gives way to other pages with all its threads, and its browser to the service until it ends', async () => {
    open();
    const groupOf = (pid: number) => /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1];
    const quiet = hold();
    await quiet.opened;
    const [browser] = launched;
    const others = await pageProcesses(browser!.connection);
    const priorities = others.map((id) => getPriority(id));
    const end = Promise.withResolvers<void>();
    const busy = pool.lease(
      { owner: 'busy' },
      async (context) => {
        const { session } = await context.openPage();
        const loop = 'setTimeout(() => { for (;;); })';
        const expression = `new Worker(URL.createObjectURL(new Blob(['${loop}']))); ${loop}`;
        await session.send('Runtime.evaluate', { expression });
        await end.promise;
      },
      never,
    );
    const busyProcess = await pollUntil(async () => {
      const ids = await pageProcesses(browser!.connection);
      return ids.find((id) => !others.includes(id) && getPriority(id) > 0);
    });
    const threads = readdirSync(`/proc/${busyProcess}/task`).map(Number);
    expect(new Set(threads.map((thread) => getPriority(thread)))).toEqual(new Set([10]));
    expect(others.map((id) => getPriority(id))).toEqual(priorities);
    expect([groupOf(browser!.pid!), groupOf(busyProcess)]).toEqual(['5', '5']);
    end.resolve();
    await busy;
    await pollUntil(() => groupOf(browser!.pid!) === '0');
    quiet.letGo();
    await quiet.done;
  });
});

describe('a pool of contexts', () => {
  it('opens at most the configured number of contexts, and the next one when one is released', async () => {
    open();
    const [first, second] = [hold(), hold()];
    await Promise.all([first.opened, second.opened]);
    const third = hold();
    expect(await isOpen(third)).toBe(false);
    first.letGo();
    await third.opened;
    for (const held of [second, third]) held.letGo();
    await Promise.all([first.done, second.done, third.done]);
    expect(launched).toHaveLength(1);
  });

  it('opens another page when one has loaded, up to the number that may be open', async () => {
    open({ contexts: 2, loading: 1 });
    const [first, second, third] = [hold(), hold(), hold()];
    await first.opened;
    expect(await isOpen(second)).toBe(false);
    first.endLoading();
    await second.opened;
    second.endLoading();
    expect(await isOpen(third)).toBe(false);
    first.letGo();
    await third.opened;
    const fourth = hold();
    for (const held of [second, third]) held.letGo();
    await fourth.opened;
    fourth.letGo();
    await Promise.all([first, second, third, fourth].map(({ done }) => done));
  });

  it('removes a waiter from the queue when its signal fires', async () => {
    open({ contexts: 1 });
    const first = hold();
    await first.opened;
    const leaving = new AbortController();
    const second = hold(leaving.signal);
    leaving.abort(new Error('too late'));
    await expect(second.done).rejects.toThrow('too late');
    const third = hold();
    first.letGo();
    await third.opened;
    third.letGo();
    await third.done;
  });

  it('wraps only the wait for a browser in duringWait', async () => {
    open({ contexts: 1 });
    const first = hold();
    await first.opened;
    const told: string[] = [];
    const second = pool.lease(
      {
        async duringWait(wait) {
          told.push('waits');
          return wait().finally(() => told.push('has its turn'));
        },
      },
      async () => told.push('is used'),
      never,
    );
    await expect.poll(() => told).toEqual(['waits']);
    first.letGo();
    await second;
    expect(told).toEqual(['waits', 'has its turn', 'is used']);
  });

  it('shares nothing between two contexts', async () => {
    open();
    const cookies = await Promise.all(
      ['one', 'two'].map((value) =>
        pool.lease(
          {},
          async (context) => {
            const { browser } = context.connection;
            const own = { browserContextId: context.id };
            const cookies = [{ name: 'who', value, url: 'http://site.test' }];
            await browser.send('Storage.setCookies', { cookies, ...own });
            const kept = await browser.send('Storage.getCookies', own);
            return kept.cookies.map((cookie) => cookie.value);
          },
          never,
        ),
      ),
    );
    expect(cookies).toEqual([['one'], ['two']]);
  });
});

describe('a browser', () => {
  it('is replaced after a number of uses, and is closed after its last page', async () => {
    open({ limits: { uses: 2 } });
    const [first, second] = [hold(), hold()];
    await Promise.all([first.opened, second.opened]);
    first.letGo();
    await first.done;
    const third = hold();
    await third.opened;
    expect(launched).toHaveLength(2);
    expect(running).toContain(launched[0]);
    second.letGo();
    expect(await second.done).toBe(launched[0]!.connection);
    await expect.poll(() => running.has(launched[0]!)).toBe(false);
    third.letGo();
    expect(await third.done).toBe(launched[1]!.connection);
  });

  it('is weighed without the program, which each of its processes maps', async () => {
    open();
    const page = hold();
    await page.opened;
    const { connection } = launched[0]!;
    const { processInfo } = await connection.browser.send('SystemInfo.getProcessInfo');
    const residentMb = processInfo
      .map(
        ({ id }) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))![1]) / 1024,
      )
      .reduce((sum, each) => sum + each, 0);
    const ownMb = (await Promise.all(processInfo.map(({ id }) => readOwnMb(id)))).reduce(
      (sum, mb) => sum + mb,
      0,
    );
    expect(ownMb).toBeGreaterThan(10);
    expect(ownMb).toBeLessThan(residentMb / 2);
    page.letGo();
    await page.done;
  });

  it('is weighed with its files on a system that does not tell them apart', () => {
    const total = 'VmSize:\t   900 kB\nVmRSS:\t   100 kB\n';
    expect(ownKbOf(total)).toBe(100);
    expect(ownKbOf(`${total}RssAnon:\t    30 kB\nRssFile:\t    65 kB\nRssShmem:\t     5 kB\n`)).toBe(35);
    expect(ownKbOf('')).toBe(0);
  });

  it('is replaced when it has grown too large', async () => {
    open({ limits: { memoryMb: 1 } });
    const first = hold();
    await first.opened;
    await pollUntil(async () => {
      const next = hold();
      next.letGo();
      return (await next.done) === launched[1]?.connection;
    });
    first.letGo();
    await first.done;
  });

  it('ends when it was not used for a while, and the next page starts another', async () => {
    open({ limits: { idleMs: 0 } });
    await pool.ready();
    await expect.poll(() => running.size).toBe(0);
    await pool.ready();
    expect(launched).toHaveLength(1);
    const next = hold();
    await next.opened;
    next.letGo();
    expect(await next.done).toBe(launched[1]!.connection);
    await expect.poll(() => running.size).toBe(0);
  });

  it('does not end while one of its pages is open', async () => {
    open({ limits: { idleMs: 0 } });
    const first = hold();
    await first.opened;
    for (let page = 0; page < 3; page++) {
      const other = hold();
      await other.opened;
      other.letGo();
      expect(await other.done).toBe(launched[0]!.connection);
    }
    first.letGo();
    expect(await first.done).toBe(launched[0]!.connection);
  });

  it('that crashed is replaced, and its open pages fail', async () => {
    open();
    const held = hold();
    await held.opened;
    await launched[0]!.close();
    await expect(held.done).rejects.toThrow(/closed|ended/);
    const next = hold();
    await next.opened;
    next.letGo();
    expect(await next.done).toBe(launched[1]!.connection);
  });
});

describe('a machine with little memory', () => {
  it('has one page open at a time', async () => {
    let available = 10 * 1024 * 1024;
    open({ availableMemory: () => available });
    const first = hold();
    await first.opened;
    const second = hold();
    expect(await isOpen(second)).toBe(false);
    available = 8 * 1024 ** 3;
    await second.opened;
    for (const held of [first, second]) held.letGo();
    await Promise.all([first.done, second.done]);
  });
});
