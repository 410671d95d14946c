import type { BrowserContext } from 'playwright';
import { chromium as playwright } from 'playwright';
import { Registry } from 'prom-client';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenProfile } from '../../src/fetch/browser/browser-profile.ts';
import { HostedSession } from '../../src/sessions/hosted-session.ts';
import { createSessionMetrics } from '../../src/sessions/session-metrics.ts';
import { createLogger } from '../../src/system/logger.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import { type SocketServer, serveSockets } from '../support/network/serve-sockets.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../support/sessions/session-browser.ts';
import { useSite } from '../support/sites/use-site.ts';

/** A session that saves a profile reads the storage of sites that no tab shows. */

const site = useSite();
let browser: TestSessionBrowser;
let session: HostedSession;
let server: SocketServer;
/** The context of the profile. */
let profile: BrowserContext;

/** A profile that keeps its context for the test, where the product saves it every 30 seconds. */
const openProfile = (origin: string): OpenProfile => ({
  isSaved: true,
  async runWith(context, _tab, use) {
    profile = context;
    await context.setStorageState({
      cookies: [],
      origins: [{ origin, localStorage: [{ name: 'restored', value: 'yes' }] }],
    });
    return use();
  },
  [Symbol.asyncDispose]: async () => undefined,
});

beforeAll(async () => {
  browser = await startTestSessionBrowser();
  session = new HostedSession({
    id: 'session',
    browser,
    onExecuted: () => undefined,
    metrics: createSessionMetrics(new Registry()),
    logger: createLogger('test', 'warn'),
  });
  server = await serveSockets((socket, path) => {
    if (path === '/view') session.addViewer(socket, { mayControl: true, maxFps: 5 });
    else session.addClient(socket);
  });
  await session.useProfile(openProfile(site.url));
});
afterAll(async () => {
  await session.end('deleted');
  await server[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
});

it('the storage of a profile is restored and read without a tab that clients or viewers see', async () => {
  await using raw = await connectRaw(server.url);
  await using viewer = await connectRaw(`${server.url}view`);
  await raw.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
  const paused = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{}] };
  await raw.send('Target.setAutoAttach', paused);
  const one = await playwright.connectOverCDP(server.url);
  const two = await puppeteer.connect({ browserWSEndpoint: server.url });
  const context = one.contexts()[0]!;
  expect(context.pages()).toHaveLength(1);
  expect(await two.pages()).toHaveLength(1);
  const [page] = context.pages();
  await page!.goto(`${site.url}/article/1`);
  expect(await page!.evaluate(() => localStorage.getItem('restored'))).toBe('yes');
  await page!.evaluate(() => localStorage.setItem('added', 'too'));
  await page!.goto('about:blank');

  const opened: string[] = [];
  context.on('page', (each) => opened.push(each.url()));
  two.on('targetcreated', (each) => opened.push(each.url()));
  raw.events.length = 0;
  for (let reads = 0; reads < 2; reads++) {
    const { origins } = await profile.storageState({ indexedDB: true });
    expect(origins).toMatchObject([
      {
        origin: site.url,
        localStorage: expect.arrayContaining([
          { name: 'restored', value: 'yes' },
          { name: 'added', value: 'too' },
        ]),
      },
    ]);
  }
  // What clients hear of a tab that is opened now comes after what they heard of earlier ones.
  await context.newPage();
  await expect.poll(() => opened.length).toBe(2);
  const { result } = await raw.send('Target.getTargets', { filter: [{ type: 'page' }] });
  expect(result.targetInfos).toHaveLength(2);
  // The events came before the response.
  const targets = raw.events.filter(({ method }) => method === 'Target.targetCreated');
  expect(targets.map(({ params }) => params.targetInfo.type).sort()).toEqual(['page', 'tab']);
  await expect.poll(() => viewer.events.at(-1)).toMatchObject({ tabs: [{}, {}] });
  for (const { tabs } of viewer.events as { tabs?: unknown[] }[])
    expect(tabs?.length ?? 1).toBeLessThanOrEqual(2);
  await one.close();
  await two.disconnect();
});

it('code does not get the hidden tab, whatever path of the socket it connects to', async () => {
  await using raw = await connectRaw(server.url);
  await using code = await connectRaw(`ws+unix:${browser.directory.protocol}/cdp.sock:/profile`);
  const { targetId } = await code.openTab();
  const { result } = await raw.send('Target.getTargets');
  expect(result.targetInfos.map((info: { targetId: string }) => info.targetId)).toContain(targetId);
});
