import axe from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LiveViewFixture, startLiveView, type Viewer } from '../../support/sessions/live-view.ts';

/** The bar of the browser, and what is said of pages that do not open, in two real browsers. */

const page = (title: string) => `<!doctype html><title>${title}</title><body style="margin:0"><p>${title}`;
const PAGES = { '/one': page('One'), '/two': page('Two') };

let session: LiveViewFixture;
let viewer: Viewer | undefined;
beforeAll(async () => {
  session = await startLiveView({
    ...PAGES,
    '/loads': (_request, response) => {
      loads++;
      response.setHeader('Content-Type', 'text/html').end(page(`Load ${loads}`));
    },
  });
});
afterEach(async () => {
  await viewer?.page.context().close();
  viewer = undefined;
});
afterAll(() => session[Symbol.asyncDispose]());
let loads = 0;

const open = async (rights: 'view' | 'control', options?: object) => {
  viewer = await session.openViewer(rights, { query: '', ...options });
  return viewer.page;
};
const path = () => session.evaluate('location.pathname');

describe('The bar of a viewer with control', () => {
  it('opens a URL that is typed, and goes back, forward and loads again, by its buttons', async () => {
    await session.goto('/one');
    const bar = await open('control');
    const address = bar.getByRole('textbox', { name: 'Address' });
    await expect.poll(() => address.inputValue()).toBe(`${session.pages.url}/one`);
    await address.fill(`${session.pages.url.replace('http://', '')}/two`);
    await address.press('Enter');
    await expect.poll(path).toBe('/two');
    await expect.poll(() => address.inputValue()).toBe(`${session.pages.url}/two`);
    await bar.getByRole('button', { name: 'Back' }).click();
    await expect.poll(path).toBe('/one');
    await bar.getByRole('button', { name: 'Forward' }).click();
    await expect.poll(path).toBe('/two');
    await session.goto('/loads');
    const before = loads;
    await bar.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => loads).toBe(before + 1);
    await expect.poll(() => bar.title()).toBe(`Load ${before + 1} – live view`);
  });

  it('does the same by the keys of browsers', async () => {
    await session.goto('/one');
    await session.goto('/loads');
    const shown = await open('control');
    const { keyboard } = shown;
    const before = loads;
    await keyboard.press('F5');
    await expect.poll(() => loads).toBe(before + 1);
    await expect.poll(() => shown.title()).toBe(`Load ${before + 1} – live view`);
    await keyboard.press('Alt+ArrowLeft');
    await expect.poll(path).toBe('/one');
    await keyboard.press('Alt+ArrowRight');
    await expect.poll(path).toBe('/loads');
    await keyboard.press('Control+l');
    await keyboard.type(`${session.pages.url}/two`);
    await keyboard.press('Enter');
    await expect.poll(path).toBe('/two');
  });

  it('keeps its address for the user while the page moves on', async () => {
    await session.goto('/one');
    const shown = await open('control');
    const address = shown.getByRole('textbox', { name: 'Address' });
    await expect.poll(() => address.inputValue()).toMatch(/\/one$/);
    await address.focus();
    await session.goto('/two');
    await expect.poll(() => shown.title()).toBe('Two – live view');
    expect(
      await address.evaluate((field: HTMLInputElement) => [
        field.value.endsWith('/one'),
        field.selectionStart,
      ]),
    ).toEqual([true, 0]);
    await address.blur();
    await expect.poll(() => address.inputValue()).toMatch(/\/two$/);
  });

  it('opens a tab of its own, and shows how long the session lives and that it is connected', async () => {
    await session.goto('/one');
    const first = session.liveView.targetId;
    const bar = await open('control');
    await bar.getByText('Connected').waitFor();
    await expect.poll(() => bar.locator('#time-left').textContent()).toMatch(/^9:\d\d left$/);
    await bar.getByRole('button', { name: 'New tab', exact: true }).last().click();
    await expect.poll(() => session.liveView.targetId).not.toBe(first);
    expect(session.told.tabs.at(-1)).toBe(session.liveView.targetId);
    await expect.poll(() => bar.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('');
    await bar
      .getByRole('button', { name: /^Close/ })
      .last()
      .click();
    await expect.poll(() => session.liveView.targetId).toBe(first);
  });

  it('opens nothing that shows the machine or runs in the page', async () => {
    await session.goto('/one');
    const socket = new WebSocket(session.urls.control.replace(/^http/, 'ws'));
    const notices: string[] = [];
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? {} : JSON.parse(String(data));
      if (message.type === 'notice') notices.push(message.text);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const urls = [
      'file:///etc/passwd',
      ...['chrome://version', 'view-source:http://127.0.0.1', 'javascript:document.title="x"', 'nothing'],
    ];
    for (const url of urls) socket.send(JSON.stringify({ type: 'navigate', url }));
    await expect.poll(() => notices).toHaveLength(urls.length);
    expect(await session.evaluate('document.title + location.pathname')).toBe('One/one');
    socket.close();
  });
});

describe('The bar of a viewer who only watches', () => {
  it('shows title and URL, and has nothing to change them; forged messages change nothing', async () => {
    await session.goto('/one');
    await session.goto('/two');
    const bar = await open('view');
    await bar.locator('#place').getByText(`${session.pages.url}/two`).waitFor();
    await bar.locator('#place').getByText('Two', { exact: true }).waitFor();
    for (const name of ['Back', 'Forward', 'Reload', 'New tab'])
      expect(await bar.getByRole('button', { name }).count()).toBe(0);
    const { activity } = session.told;
    const tabs = session.told.tabs.length;
    const socket = new WebSocket(session.urls.view.replace(/^http/, 'ws'));
    await new Promise((resolve) => socket.once('open', resolve));
    for (const message of [
      { type: 'navigate', url: `${session.pages.url}/one` },
      { type: 'history', move: 'back' },
      { type: 'newTab' },
      { type: 'pick', id: 1, index: 0 },
      { type: 'chooseFiles', id: 1, names: ['a'] },
      { type: 'dropFiles', x: 1, y: 1, names: ['a'] },
    ])
      socket.send(JSON.stringify(message));
    // The host handles messages in their order.
    const pong = new Promise((resolve) => socket.once('pong', resolve));
    socket.ping();
    await pong;
    expect([session.told.activity, session.told.tabs.length]).toEqual([activity, tabs]);
    expect(await path()).toBe('/two');
    socket.close();
  });
});

describe('A page that cannot be opened', () => {
  it('says why, to all viewers, until another page is shown', async () => {
    await session.goto('/one');
    const bar = await open('control');
    const address = bar.getByRole('textbox', { name: 'Address' });
    await address.fill('http://nothing.test/');
    await address.press('Enter');
    await bar.getByText('The name nothing.test was not found.').waitFor();
    await address.fill(`${session.pages.url}/two`);
    await address.press('Enter');
    await expect.poll(() => bar.locator('#failure').count()).toBe(0);
    expect(await path()).toBe('/two');
  });
});

describe('The live view', () => {
  it('has no barriers that axe-core finds, light and dark, and fits a phone', async () => {
    await session.goto('/one');
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [rights, width] of [
        ['control', 1_000],
        ['view', 360],
      ] as const) {
        const shown = await open(rights, { colorScheme, viewport: { width, height: 640 } });
        // The content policy of the page concerns no code that the protocol runs.
        await shown.evaluate(axe.source);
        const faults = `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))`;
        expect(await shown.evaluate(faults)).toEqual([]);
        expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(width);
        await viewer?.page.context().close();
        viewer = undefined;
      }
    }
  });
});
