import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { BrowserTab } from '../../../src/sessions/code/programs/browser-tab.ts';
import { startTestSessionBrowser } from '../../support/sessions/session-browser.ts';

it('a call begins in its tab although another one is closed while it is looked for', async () => {
  await using browser = await startTestSessionBrowser();
  const tab = new BrowserTab(browser.url, tmpdir());
  const { browser: connected, context } = await tab.connect();
  const [closing] = context.pages();
  const own = await context.newPage();
  const targetId = await tab.end(closing!, own);
  const newSession = context.newCDPSession.bind(context);
  context.newCDPSession = async (page) => {
    await closing!.close();
    return newSession(page);
  };
  expect((await tab.begin(targetId)).page).toBe(own);
  expect(closing!.isClosed()).toBe(true);
  await connected.close();
});
