import { devices } from 'playwright';
import { expect, it } from 'vitest';
import { PHONE } from '../../../src/fetch/browser/device-emulation.ts';
import { startBrowser, VISITOR } from '../../support/browser/start-browser.ts';
import { startPages } from '../../support/sites/pages.ts';

it('headers, scripts and client hints agree with the configured user agent', async () => {
  await using browser = await startBrowser({ hosts: [] });
  await using pages = await startPages({
    '/': (request, response) => {
      const hints = Object.keys(request.headers).filter((name) => name.startsWith('sec-ch-ua'));
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(
        `<p>${request.headers['user-agent']}</p><p>${hints.length} hints</p><p id="seen"></p>
         <script>seen.textContent = navigator.userAgent + JSON.stringify(navigator.userAgentData?.brands ?? [])</script>`,
      );
    },
  });
  const asked = { appearance: { ...VISITOR, userAgent: 'Reader/1.0' } };
  const { html } = await browser.visit(pages.url, asked);
  expect(html).toContain('<p>Reader/1.0</p><p>0 hints</p><p id="seen">Reader/1.0[]</p>');
});

it('a phone has the screen of the device descriptor of Playwright', () => {
  expect(devices['Pixel 7']).toMatchObject(PHONE);
});

it('the window of a desktop is as large as what the page sees of it', async () => {
  await using browser = await startBrowser({ hosts: [] });
  await using pages = await startPages({
    // Chromium may tell a page the size of its window only after its first script has run.
    '/': `<p id="seen"></p><script>const timer = setInterval(() => {
      if (!outerWidth) return;
      seen.textContent = [outerWidth, outerHeight, innerWidth, innerHeight];
      clearInterval(timer);
    }, 10)</script>`,
  });
  const { html } = await browser.visit(pages.url);
  expect(html).toContain('>1280,800,1280,800<');
});
