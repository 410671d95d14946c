import { Firecrawl } from 'firecrawl';
import { chromium as playwright } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { priceOfSession } from '../../src/credits.ts';
import { useService } from '../support/service/use-service.ts';
import { useSite } from '../support/sites/use-site.ts';

/** Browser sessions by the official JavaScript SDK, unchanged. */

const service = useService();

const site = useSite();
let client: Firecrawl;
beforeAll(async () => {
  client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
});

/** Checks that a session has ended, and its price; a busy machine may use it for minutes. */
function expectEnd(ended: { success: boolean; sessionDurationMs?: number; creditsBilled?: number }): void {
  const durationMs = ended.sessionDurationMs ?? 0;
  expect(ended).toMatchObject({
    success: true,
    creditsBilled: priceOfSession({ durationMs, prompted: false }),
  });
}

describe('the official SDK', () => {
  it('starts, lists, uses and deletes a browser session', async () => {
    const created = await client.browser({ ttl: 120, activityTtl: 60 });
    expect(created).toMatchObject({ success: true, id: expect.any(String), liveViewUrl: expect.any(String) });
    const { sessions } = await client.listBrowsers({ status: 'active' });
    expect(sessions?.map(({ id }) => id)).toContain(created.id);
    // The timeout of the test ends what hangs.
    const browser = await playwright.connectOverCDP(created.cdpUrl!, { timeout: 0 });
    await browser.contexts()[0]!.pages()[0]!.goto(`${site.url}/article/5`, { timeout: 0 });
    await browser.close();
    const executed = await client.browserExecute(created.id!, {
      code: 'console.log("seen"); page.url()',
      language: 'node',
    });
    expect(executed).toMatchObject({
      success: true,
      exitCode: 0,
      stdout: 'seen\n',
      result: `${site.url}/article/5`,
    });
    expectEnd(await client.deleteBrowser(created.id!));
    await expect(client.deleteBrowser(created.id!)).rejects.toThrow('has ended');
  });

  it('continues a scrape, and stops', async () => {
    const { metadata } = await client.scrape(`${site.url}/article/6`);
    const scrapeId = metadata!.scrapeId!;
    const first = await client.interact(scrapeId, { code: 'await page.title()' });
    expect(first).toMatchObject({ success: true, result: expect.stringMatching(/./) });
    const failed = await client.interact(scrapeId, { code: 'await page.click("#none", { timeout: 100 })' });
    expect(failed).toMatchObject({ success: false, exitCode: 1 });
    expectEnd(await client.stopInteraction(scrapeId));
    await expect(client.interact(scrapeId, { code: '1' })).rejects.toMatchObject({ status: 410 });
  });
});
