import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { listenOnNewPort } from '../../support/network/listen.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** The connections of Chromium to its proxies, which pages of one team may all hold. */

/** Contexts with hostile pages; the pool of the browser has one more. */
const HOSTILE = 3;
/** Chromium itself would let one page have more than 256 connections to these. */
const HOSTS = Array.from({ length: 300 }, (_, n) => `h${n}.test`);
/** About as many connections as a context can have. */
const NEARLY_ALL = 120;

let browser: TestBrowser;
let site: Pages;
const held = new Set<Socket>();
/** Accepts connections and never answers. */
const silent = createServer((socket) => {
  held.add(socket.on('error', () => socket.destroy()).resume());
  socket.once('close', () => held.delete(socket));
});

beforeAll(async () => {
  const port = await listenOnNewPort(silent, '127.0.0.1');
  const opening = HOSTS.map(
    (host) =>
      `fetch('http://${host}:${port}/', { mode: 'no-cors' }).catch(() => 0); new WebSocket('ws://${host}:${port}/');`,
  );
  site = await startPages({
    '/hostile': `<p>Hostile</p><script>${opening.join('\n')}</script>`,
    '/': '<p id="said">Page</p><script src="/late.js"></script>',
    '/late.js': (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'text/javascript' })
        .end('said.textContent = "complete with its script"'),
  });
  browser = await startBrowser({ hosts: HOSTS });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  silent.close();
});

it('a page is complete while those of others hold all connections that they can get', async () => {
  const hostile = Array.from({ length: HOSTILE }, () =>
    browser.visit(`${site.url}/hostile`, { waitForMs: 120_000 }),
  );
  // They end with the browser.
  for (const each of hostile) each.catch(() => undefined);
  await pollUntil(() => held.size > HOSTILE * NEARLY_ALL);
  const { html } = await browser.visit(`${site.url}/`);
  expect(html).toContain('complete with its script');
  // The page has not got what the others gave up.
  expect(held.size).toBeGreaterThan(HOSTILE * NEARLY_ALL);
});
