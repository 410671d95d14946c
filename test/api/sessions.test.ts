import { chromium as playwright } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, startSite } from '../site/site.ts';
import { call } from '../support/api.ts';

/** Browser sessions over the API. */

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

describe('a browser session', () => {
  it('is driven by Playwright until it is deleted, and costs at least one minute', async () => {
    const { status, body } = await call('/v2/browser', { body: {} });
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, id: expect.any(String) } });
    const browser = await playwright.connectOverCDP(body.cdpUrl);
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.goto(`${site.url}/article/1`);
    expect(await page.title()).not.toBe('');
    const deleted = await call(`/v2/browser/${body.id}`, { method: 'DELETE' });
    expect(deleted.body).toMatchObject({ success: true, creditsBilled: 2 });
    expect(browser.isConnected()).toBe(false);
  });
});
