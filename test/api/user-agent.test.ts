import puppeteer from 'puppeteer-core';
import { expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';

const USER_AGENT = 'MillBot/2.0 (+https://mill.example/bot)';
const service = useService(() => ({ WINNOW_USER_AGENT: USER_AGENT }));

it('the user agent of the operator is that of fetches, of pages in the browser, and of sessions', async () => {
  await using site = await startPages({
    '/plain': '<title>Plain</title><p>A page that needs no browser, with a sentence that is long enough.</p>',
    '/drawn':
      '<main></main><script>document.querySelector("main").textContent = navigator.userAgent</script>',
  });
  const ask = (path: string, init: Parameters<typeof call>[1]) =>
    call(path, { url: service.url, key: service.key, ...init });
  const scrape = async (path: string) => {
    const { body } = await ask('/v2/scrape', { body: { url: `${site.url}${path}`, maxAge: 0 } });
    return body.data.markdown.trim();
  };
  expect(await scrape('/plain')).toContain('needs no browser');
  expect(await scrape('/drawn')).toBe(USER_AGENT);

  const { body: session } = await ask('/v2/browser', { body: {} });
  const browser = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl });
  const [page] = await browser.pages();
  await page?.goto(`${site.url}/drawn?session`);
  expect(await page?.evaluate(() => navigator.userAgent)).toBe(USER_AGENT);
  expect(await browser.userAgent()).toBe(USER_AGENT);
  await browser.disconnect();
  await ask(`/v2/browser/${session.id}`, { method: 'DELETE' });

  const sent = new Set(
    site.requests
      .filter(({ path }) => /^\/(plain|drawn)/.test(path))
      .map(({ headers }) => headers['user-agent']),
  );
  expect([...sent]).toEqual([USER_AGENT]);
}, 60_000);
