/**
 * Drives a remote browser with Playwright, lets a person watch it, and ends it:
 *
 *   npx node examples/browser-session.ts https://example.com
 *
 * It needs Node 24, which `npx node` starts here.
 *
 * WINNOW_URL is the URL of the service, by default that of `npm start`, and WINNOW_API_KEY the key that it printed.
 */
import { Firecrawl } from 'firecrawl';
import { chromium } from 'playwright';

const apiUrl = process.env.WINNOW_URL ?? 'http://127.0.0.1:3002';
const winnow = new Firecrawl({ apiUrl, apiKey: process.env.WINNOW_API_KEY ?? '' });

const session = await winnow.browser({ ttl: 300, activityTtl: 60 });
if (!session.id || !session.cdpUrl) throw new Error(session.error ?? 'The session did not start.');
console.log(`Watch it at ${session.interactiveLiveViewUrl}`);
try {
  const browser = await chromium.connectOverCDP(session.cdpUrl);
  // A session starts with one tab.
  const [page] = browser.contexts()[0]?.pages() ?? [];
  await page?.goto(process.argv[2] ?? 'https://example.com');
  console.log(await page?.title());
  await browser.close();
} finally {
  const { creditsBilled } = await winnow.deleteBrowser(session.id);
  console.log(`${creditsBilled} credits`);
}
