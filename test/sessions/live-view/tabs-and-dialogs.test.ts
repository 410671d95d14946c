import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LiveViewFixture, startLiveView, type Viewer } from '../../support/sessions/live-view.ts';

/** Tabs and dialogs of a session as viewers see and use them, in two real browsers. */

const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><body style="margin:0">${body}`;
const whole = 'style="position:absolute;inset:0;width:800px;height:600px"';
const PAGES = {
  '/': page('First', '<p>The first page'),
  '/popup': page('Popup', '<div style="height:600px;background:rgb(255,0,0)"></div>'),
  '/opener': page('Opener', `<button ${whole} onclick="window.open('/popup')">open</button>`),
  '/early': page(
    'Early',
    `<script>
    const openEarly = () => { const popup = window.open('about:blank'); popup.alert('early'); return popup.closed; };
  </script>`,
  ),
  '/asks': page(
    'Asks',
    `<script>let result; const ask = (kind, ...texts) => { setTimeout(() => { result = window[kind](...texts); }); };</script>`,
  ),
  '/leave': page(
    'Leave',
    `<button ${whole}>touched</button><script>
    onbeforeunload = (event) => event.preventDefault();
  </script>`,
  ),
};

let session: LiveViewFixture;
let viewer: Viewer | undefined;
beforeAll(async () => {
  session = await startLiveView(PAGES);
});
beforeEach(() => session.goto('/'));
afterEach(async () => {
  await viewer?.page.context().close();
  viewer = undefined;
});
afterAll(() => session[Symbol.asyncDispose]());

const open = async (rights: 'view' | 'control') => {
  viewer = await session.openViewer(rights);
  return viewer;
};
const tabsOf = ({ page }: Viewer) => page.locator('#tabs button:first-child').allTextContents();
const shownTab = ({ page }: Viewer) => page.locator('#tabs [data-shown] button:first-child').textContent();

describe('A popup', () => {
  it('is shown when it opens; viewers with control switch between the tabs and close them', async () => {
    await session.goto('/opener');
    const first = session.liveView.targetId;
    const { page } = await open('control');
    expect(await page.locator('#tabs').isVisible()).toBe(false);
    await page.mouse.click(400, 300);
    await expect.poll(() => tabsOf(viewer!)).toEqual(['Opener', 'Popup']);
    expect(await shownTab(viewer!)).toBe('Popup');
    await expect.poll(() => viewer!.colorAt(400, 300)).toMatch(/^25\d,\d,\d$/);
    expect(session.told.tabs.at(-1)).toBe(session.liveView.targetId);
    await page.getByRole('button', { name: 'Opener', exact: true }).click();
    await expect.poll(() => shownTab(viewer!)).toBe('Opener');
    expect(session.liveView.targetId).toBe(first);
    expect(session.told.tabs.at(-1)).toBe(first);
    await expect.poll(() => viewer!.colorAt(400, 300)).not.toMatch(/^25\d,\d,\d$/);
    await page.getByRole('button', { name: 'Popup', exact: true }).click();
    await expect.poll(() => shownTab(viewer!)).toBe('Popup');
    await page.getByTitle('Close Popup').click();
    await expect.poll(() => page.locator('#tabs').isVisible()).toBe(false);
    expect(session.liveView.targetId).toBe(first);
    await expect.poll(() => page.title()).toBe('Opener – live view');
  });

  it('is shown to viewers who only watch; they cannot switch', async () => {
    await session.goto('/opener');
    const watching = await open('view');
    await session.evaluate("popup = window.open('/popup'); 0");
    await expect.poll(() => shownTab(watching)).toBe('Popup');
    expect(await watching.page.getByRole('button', { name: 'Opener', exact: true }).isDisabled()).toBe(true);
    expect(await watching.page.getByTitle('Close Popup').count()).toBe(0);
    await session.evaluate('popup.close()');
    await expect.poll(() => watching.page.locator('#tabs').isVisible()).toBe(false);
  });

  it('is followed while nobody watches, and the tab in use changes when a program says so', async () => {
    const first = session.liveView.targetId ?? '';
    await session.evaluate("popup = window.open('/popup'); 0");
    await expect.poll(() => session.liveView.targetId).not.toBe(first);
    session.liveView.showTab(first);
    const watching = await open('view');
    await expect.poll(() => shownTab(watching)).toBe('First');
    await session.evaluate('popup.close()');
    await expect.poll(() => watching.page.locator('#tabs').isVisible()).toBe(false);
  });
});

describe('The last tab', () => {
  it('stays open', async () => {
    const { page } = await open('control');
    const { activity } = session.told;
    await page.evaluate(async (targetId) => {
      const socket = new WebSocket(location.href.replace(/^http/, 'ws'));
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      socket.send(JSON.stringify({ type: 'closeTab', targetId }));
      socket.send(JSON.stringify({ type: 'text', text: 'after it' }));
    }, session.liveView.targetId);
    await expect.poll(() => session.told.activity).toBe(activity + 2);
    // Longer than Chromium takes to close a tab.
    await sleep(500);
    expect(await session.evaluate('document.title')).toBe('First');
  });
});

describe('A tab that crashes', () => {
  it('is reported to viewers, and usable again after a reload', async () => {
    const { targetInfos } = await session.connection.browser.send('Target.getTargets');
    const { targetId } = await session.connection.browser.send('Target.createTarget', {
      url: `${session.pages.url}/popup`,
    });
    expect(targetInfos.map((target) => target.targetId)).not.toContain(targetId);
    const { sessionId } = await session.connection.browser.send('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    const first = session.liveView.targetId ?? '';
    session.liveView.showTab(targetId);
    const { page } = await open('control');
    const tab = session.connection.session(sessionId);
    tab.send('Page.crash').catch(() => undefined);
    await expect.poll(() => page.locator('#status').textContent()).toBe('This tab has crashed.');
    expect(await page.locator('#status').isVisible()).toBe(true);
    await tab.send('Page.navigate', { url: `${session.pages.url}/popup` });
    await expect.poll(() => page.locator('#status').isVisible()).toBe(false);
    await page.getByTitle('Close Popup').click();
    await expect.poll(() => session.liveView.targetId).toBe(first);
  });
});

describe('A dialog', () => {
  beforeEach(() => session.goto('/asks'));
  const dialog = () => viewer!.page.getByRole('dialog');

  it.each([
    ['confirm', 'OK', true],
    ['confirm', 'Cancel', false],
    ['prompt', 'OK', 'answered'],
    ['prompt', 'Cancel', null],
    ['alert', 'OK', undefined],
  ])('%s is answered with %s by a viewer', async (kind, button, expected) => {
    await open('control');
    await session.evaluate(`result = 'open'; ask('${kind}', 'What now?', 'default')`);
    await dialog().getByText('What now?').waitFor();
    expect(await dialog().locator('#dialog-source').textContent()).toBe(`${session.pages.url}/asks says`);
    expect(await dialog().getByRole('button').count()).toBe(kind === 'alert' ? 1 : 2);
    if (kind === 'prompt') {
      expect(await dialog().getByRole('textbox').inputValue()).toBe('default');
      await dialog().getByRole('textbox').fill('answered');
    }
    await dialog().getByRole('button', { name: button }).click();
    await expect.poll(() => session.evaluate('result')).toBe(expected);
    await expect.poll(() => dialog().count()).toBe(0);
  });

  it('before a page is left is answered by a viewer', async () => {
    await session.goto('/leave');
    const { page } = await open('control');
    await page.mouse.click(400, 300);
    await expect.poll(() => session.evaluate('navigator.userActivation.hasBeenActive')).toBe(true);
    await session.evaluate("setTimeout(() => { location.href = '/popup'; }); 0");
    await dialog().getByRole('button', { name: 'Stay' }).click();
    await expect.poll(() => dialog().count()).toBe(0);
    expect(await session.evaluate('location.pathname')).toBe('/leave');
    await session.evaluate("setTimeout(() => { location.href = '/popup'; }); 0");
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await expect.poll(() => session.evaluate('location.pathname')).toBe('/popup');
  });

  it('is shown to viewers who only watch and to those who come later, until it is closed', async () => {
    session.setOtherClients(true);
    await open('view');
    await session.evaluate("result = 'open'; ask('confirm', 'Really?')");
    await dialog().getByText('Really?').waitFor();
    expect(await dialog().getByRole('button').count()).toBe(0);
    const later = await session.openViewer('control');
    await later.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
    await expect.poll(() => session.evaluate('result')).toBe(true);
    await expect.poll(() => dialog().count()).toBe(0);
    await later.page.context().close();
    session.setOtherClients(false);
  });

  it('is closed if nobody is there who could answer it', async () => {
    expect(await session.evaluate("confirm('Hello?')")).toBe(false);
    expect(await session.evaluate("prompt('Hello?')")).toBe(null);
    await open('view');
    expect(await session.evaluate("confirm('Hello?')")).toBe(false);
  });

  it('is closed when the viewer who could answer it leaves', async () => {
    const control = await open('control');
    await session.evaluate("result = 'open'; ask('confirm', 'Hello?')");
    await dialog().waitFor();
    await sleep(1_500);
    await control.page.context().close();
    await expect.poll(() => session.evaluate('result')).toBe(false);
  });

  it('of a popup that asks before it has loaded is closed, too', async () => {
    await session.goto('/early');
    expect(await session.evaluate('openEarly()')).toBe(false);
    const { targetId } = session.liveView;
    await session.connection.browser.send('Target.closeTarget', { targetId: targetId ?? '' });
  });
});
