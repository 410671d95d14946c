import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { openViewer, type Viewer } from '../support/sessions/live-view.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * The live view as its users have it: in a real browser, through the API, which relays it to the host of the
 * session. `faults.test.ts` runs this test, because it kills the API.
 */

const FILLED = 'position:absolute;inset:0;width:100%;height:100%;box-sizing:border-box';
/** Elements at places that are shares of the viewport, because viewers show it at any size. */
const page = (frameUrl: string) => `<!doctype html><style>
  body > * { position: absolute; box-sizing: border-box; margin: 0 }
  #field { left: 0; top: 0; width: 50vw; height: 20vh }
  #paint { left: 0; top: 20vh; width: 50vw; height: 20vh; background: rgb(0, 0, 255) }
  #list { left: 0; top: 40vh; width: 50vw; height: 60vh; overflow: scroll }
  iframe { left: 50vw; top: 0; width: 50vw; height: 40vh; border: 0 }
  #slider { left: 50vw; top: 40vh; width: 50vw; height: 20vh }
  #touch { left: 50vw; top: 60vh; width: 50vw; height: 40vh; background: #eee }
</style>
<input id=field><div id=paint></div><div id=list><div style="height:9000px"></div></div>
<iframe src="${frameUrl}"></iframe><input id=slider type=range min=0 max=100 value=0><div id=touch></div>
<script>
  let touches = 0;
  paint.onclick = () => { paint.style.background = 'rgb(255, 0, 0)' };
  touch.addEventListener('touchstart', () => { touches++ });
  const state = () => ({ field: field.value, scrolled: list.scrollTop > 0, slid: slider.value > 50, touches });
</script>`;

const service = useService();
let sites: [Pages, Pages];
let browser: Browser;
let session: { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };

const ask = (path: string, body?: unknown) => call(path, { url: service.url, key: service.key, body });

/** Executes code in the session, which goes another way than the live view. */
async function evaluate(code: string): Promise<string> {
  const { body } = await ask(`/v2/browser/${session.id}/execute`, { code });
  expect(body).toMatchObject({ success: true, exitCode: 0 });
  return body.result;
}
const state = async () => JSON.parse(await evaluate('JSON.stringify(await page.evaluate(() => state()))'));

beforeAll(async () => {
  const frame = await startPages({ '/': `<!doctype html><input id=inner style="${FILLED}">` });
  sites = [await startPages({ '/': page(frame.url) }), frame];
  const { path: executablePath } = await findChromium(readConfig());
  browser = await chromium.launch({
    executablePath,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
  });
  session = (await ask('/v2/browser', { ttl: 900, activityTtl: 900 })).body;
  await evaluate(`await page.goto('${sites[0].url}/'); 0`);
}, 300_000);
afterAll(async () => {
  await browser.close();
  for (const site of sites) await site[Symbol.asyncDispose]();
});

/**
 * The point of the viewer's page that shows a place of the remote page, given as shares of its width and
 * height.
 */
async function pointAt({ page }: Viewer, x: number, y: number): Promise<[number, number]> {
  const canvas = page.locator('canvas');
  const box = await pollUntil(() => canvas.boundingBox());
  const { width, height } = await canvas.evaluate((each: HTMLCanvasElement) => ({
    width: each.width,
    height: each.height,
  }));
  // The picture keeps its proportions, in the left upper corner of the canvas.
  const scale = Math.min(box.width / width, box.height / height);
  return [box.x + width * scale * x, box.y + height * scale * y];
}

it('passes every kind of input to the page and its frames, shows both viewers the same, and survives the API', async () => {
  const viewer = await openViewer(browser, session.interactiveLiveViewUrl, {
    hasTouch: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const watcher = await openViewer(browser, session.liveViewUrl);
  const { mouse, keyboard, touchscreen } = viewer.page;
  const click = async (x: number, y: number) => mouse.click(...(await pointAt(viewer, x, y)));

  await click(0.25, 0.1);
  await keyboard.type('typed ');
  await expect.poll(async () => (await state()).field).toBe('typed ');
  await keyboard.insertText('日本');
  await expect.poll(async () => (await state()).field).toBe('typed 日本');

  await mouse.move(...(await pointAt(viewer, 0.2, 0.7)));
  await mouse.wheel(0, 400);
  await expect.poll(async () => (await state()).scrolled).toBe(true);

  await mouse.move(...(await pointAt(viewer, 0.51, 0.5)));
  await mouse.down();
  await mouse.move(...(await pointAt(viewer, 0.9, 0.5)), { steps: 5 });
  await mouse.up();
  await expect.poll(async () => (await state()).slid).toBe(true);

  await touchscreen.tap(...(await pointAt(viewer, 0.75, 0.8)));
  await expect.poll(async () => (await state()).touches).toBe(1);

  await click(0.75, 0.2);
  await keyboard.type('in a frame');
  await expect.poll(() => evaluate("await page.frames()[1].evaluate('inner.value')")).toBe('in a frame');

  const colorsOfPaint = () =>
    Promise.all(
      [viewer, watcher].map(async (each) => {
        const { width, height } = (await each.page.locator('canvas').evaluate((element) => {
          // The locator finds canvas elements only.
          const canvas = element as HTMLCanvasElement;
          return { width: canvas.width, height: canvas.height };
        })) as { width: number; height: number };
        return each.colorAt(Math.round(width * 0.25), Math.round(height * 0.3));
      }),
    );
  await watcher.page.mouse.click(...(await pointAt(watcher, 0.25, 0.3)));
  await click(0.25, 0.1);
  await keyboard.type('!');
  await expect.poll(async () => (await state()).field).toBe('typed 日本!');
  // JPEG changes colours slightly.
  await expect
    .poll(colorsOfPaint)
    .toEqual([expect.stringMatching(/^\d,\d,2[45]\d$/), expect.stringMatching(/^\d,\d,2[45]\d$/)]);
  await click(0.25, 0.3);
  await expect
    .poll(colorsOfPaint)
    .toEqual([expect.stringMatching(/^2[45]\d,\d,\d$/), expect.stringMatching(/^2[45]\d,\d,\d$/)]);

  // Characters of an input method arrive when it has composed them.
  await click(0.25, 0.1);
  await keyboard.press('End');
  const ime = await viewer.page.context().newCDPSession(viewer.page);
  await ime.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
  await expect.poll(async () => (await state()).field).toBe('typed 日本!にほ');
  await ime.send('Input.insertText', { text: '二歩' });
  await expect.poll(async () => (await state()).field).toBe('typed 日本!二歩');

  await viewer.page.evaluate(() => navigator.clipboard.writeText(' pasted'));
  await keyboard.press('Control+v');
  await expect.poll(async () => (await state()).field).toBe('typed 日本!二歩 pasted');
  await keyboard.press('Control+a');
  await keyboard.press('Control+c');
  await expect
    .poll(() => viewer.page.evaluate(() => navigator.clipboard.readText()))
    .toBe('typed 日本!二歩 pasted');

  // Code has used the page, and its Playwright leaves the dialog to the viewer.
  await evaluate("await page.evaluate('setTimeout(() => { field.value = confirm(`Sure?`) })')");
  await watcher.page.getByRole('dialog').getByText('Sure?').waitFor();
  await viewer.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click();
  await expect.poll(async () => (await state()).field).toBe('true');

  for (const { page } of [viewer, watcher])
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  const pid = service.readRunFile().children.api!.pid;
  process.kill(pid, 'SIGKILL');
  for (const state of ['visible', 'hidden'] as const)
    await Promise.all([viewer, watcher].map(({ page }) => page.locator('#status').waitFor({ state })));
  await click(0.25, 0.1);
  await keyboard.press('End');
  await keyboard.type(' again');
  await expect.poll(state).toEqual({ field: 'true again', scrolled: true, slid: true, touches: 1 });
  for (const { page } of [viewer, watcher]) expect(await page.evaluate('isSamePage')).toBe(true);
}, 180_000);
