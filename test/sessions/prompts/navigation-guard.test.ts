import { afterAll, beforeAll, expect, it } from 'vitest';
import { NavigationGuard } from '../../../src/sessions/prompts/navigation-guard.ts';
import { connectRaw } from '../../support/browser/protocol.ts';
import { startTestSessionBrowser, type TestSessionBrowser } from '../../support/sessions/session-browser.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** How the tabs of a prompt are kept on their hosts at its end. */

let browser: TestSessionBrowser;
let site: Pages;
let foreign: Pages;
beforeAll(async () => {
  browser = await startTestSessionBrowser();
  site = await startPages({ '/': '<p>a page</p>', '/own': '<p>of the same host</p>' });
  foreign = await startPages({ '/': '<p>foreign</p>' });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

/**
 * Opens a popup from a guarded tab while a client keeps it from loading, and ends the guard before the client
 * lets it go on.
 */
async function openPopupAtTheEnd(url: string) {
  const client = await connectRaw(browser.url);
  const { sessionId, targetId } = await client.openTab();
  await client.send('Page.navigate', { url: `${site.url}/` }, sessionId);
  await pollUntil(async () => (await client.evaluate(sessionId, 'document.body?.innerText')) === 'a page');
  const guard = new NavigationGuard(browser.chromium.connection, [new URL(site.url).host]);
  await guard.start();
  await guard.guard(targetId);
  const waits = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  await client.send('Target.setAutoAttach', waits);
  // It responds when the popup goes on.
  const opening = client.evaluate(sessionId, `void window.open(${JSON.stringify(url)})`);
  const popup = await client.untilEvent(
    ({ method, params }) =>
      method === 'Target.attachedToTarget' && params.waitingForDebugger && params.targetInfo.type === 'page',
  );
  await guard.stop();
  await client.send('Runtime.runIfWaitingForDebugger', {}, popup.params.sessionId);
  await opening;
  const targets = async () => {
    const { result } = await client.send('Target.getTargets');
    return result.targetInfos as { targetId: string; url: string }[];
  };
  return { client, targets, popupId: popup.params.targetInfo.targetId as string };
}

it('a popup that leads to another host is closed, also when it loads after the end of the prompt', async () => {
  const { client, targets, popupId } = await openPopupAtTheEnd(`${foreign.url}/`);
  await pollUntil(async () => !(await targets()).some(({ targetId }) => targetId === popupId));
  expect(foreign.requests).toEqual([]);
  await client[Symbol.asyncDispose]();
});

it('a popup of the same host loads after the end of the prompt, and goes where it likes then', async () => {
  const { client, targets, popupId } = await openPopupAtTheEnd(`${site.url}/own`);
  const urlOf = async () => (await targets()).find(({ targetId }) => targetId === popupId)?.url;
  await pollUntil(async () => (await urlOf()) === `${site.url}/own`);
  const { result } = await client.send('Target.attachToTarget', { targetId: popupId, flatten: true });
  await client.send('Page.navigate', { url: `${foreign.url}/` }, result.sessionId);
  await pollUntil(async () => (await urlOf()) === `${foreign.url}/`);
  await client[Symbol.asyncDispose]();
});
