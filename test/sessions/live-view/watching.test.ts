import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LiveViewFixture, startLiveView, type Viewer } from '../../support/sessions/live-view.ts';

/** What viewers see of a session, in two real browsers. */

const page = (body: string) => `<!doctype html><body style="margin:0">${body}`;
const PAGES = {
  '/red': page('<title>Red</title><div style="height:600px;background:rgb(255,0,0)"></div>'),
  '/animated': page(`<title>Animated</title><div id=box style="height:300px"></div><script>
    let n = 0;
    (function draw() {
      box.style.background = 'hsl(' + (n++ % 360) + ' 80% 50%)';
      requestAnimationFrame(draw);
    })();
  </script>`),
  '/until-green': page(`<title>Until green</title><div id=box style="height:600px"></div><script>
    function run() {
      let n = 0;
      (function draw() {
        box.style.background = n < 40 ? 'hsl(0 80% ' + n++ + '%)' : 'rgb(0,255,0)';
        if (n < 40 || box.style.background !== 'rgb(0, 255, 0)') requestAnimationFrame(draw);
      })();
    }
  </script>`),
  '/embedding': page(`<script>
    const frame = document.createElement('iframe');
    if (location.search) frame.sandbox = 'allow-scripts';
    frame.src = new URLSearchParams(location.hash.slice(1)).get('url');
    document.body.append(frame);
  </script>`),
  '/counting': page(
    '<title>0 clicks</title><button style="position:absolute;inset:0" onclick="count()">0</button>' +
      '<script>let clicks = 0; function count() { document.title = ++clicks + " clicks"; }</script>',
  ),
};
/** Compression changes colours a little. */
const RED = /^25\d,\d,\d$/;
const GREEN = /^\d,25\d,\d$/;

let session: LiveViewFixture;
beforeAll(async () => {
  session = await startLiveView(PAGES);
});
afterAll(() => session[Symbol.asyncDispose]());
/** Notes when frames are sent to viewers that come from now on, in seconds, and the limit of each. */
function noteSentFrames(): { maxFps: number; times: number[] }[] {
  const sent: { maxFps: number; times: number[] }[] = [];
  const addViewer = session.liveView.addViewer.bind(session.liveView);
  vi.spyOn(session.liveView, 'addViewer').mockImplementation((socket, rights) => {
    const times: number[] = [];
    sent.push({ maxFps: rights.maxFps, times });
    const send = socket.send.bind(socket);
    vi.spyOn(socket, 'send').mockImplementation((data: unknown) => {
      if (typeof data !== 'string') times.push(performance.now() / 1_000);
      // The live view passes nothing else.
      send(data as Buffer);
    });
    addViewer(socket, rights);
  });
  return sent;
}
const viewers: Viewer[] = [];
const openViewer: LiveViewFixture['openViewer'] = async (...args) => {
  const viewer = await session.openViewer(...args);
  viewers.push(viewer);
  return viewer;
};
afterEach(async () => {
  vi.restoreAllMocks();
  for (const viewer of viewers.splice(0)) await viewer.page.context().close();
  await expect.poll(() => session.told.viewers.at(-1)).toBe(0);
});

describe('A viewer', () => {
  it('sees a page that does not change, however late the viewer comes', async () => {
    await session.goto('/red');
    const first = await openViewer('view');
    await expect.poll(() => first.colorAt(400, 300)).toMatch(RED);
    await expect.poll(() => first.page.title()).toBe('Red – live view');
    // Only the cached frame can be seen: the capture that the first viewer began has ended with one frame.
    const second = await openViewer('view');
    await expect.poll(() => second.colorAt(400, 300)).toMatch(RED);
    expect(session.told.viewers.slice(-2)).toEqual([1, 2]);
  });

  it('sees the last state of a page that changed faster than frames are sent', async () => {
    await session.goto('/until-green');
    const viewer = await openViewer('view', { query: '?maxFps=5&toolbar=false' });
    for (let round = 0; round < 3; round++) {
      await session.evaluate('run()');
      await expect.poll(() => viewer.colorAt(400, 300)).toMatch(GREEN);
    }
  });

  it('gets no more frames per second than the URL says, and others do not slow down with it', async () => {
    await session.goto('/animated');
    const sent = noteSentFrames();
    const slow = await openViewer('view', { query: '?maxFps=2&toolbar=false' });
    const usual = await openViewer('control', { query: '?maxFps=nonsense&toolbar=false' });
    const [slowBefore, usualBefore] = [slow.frames(), usual.frames()];
    // A busy machine may draw no more frames than the slow viewer gets, but not all the time.
    await expect.poll(() => slow.frames()).toBeGreaterThan(slowBefore + 5);
    await expect.poll(() => usual.frames() - usualBefore - (slow.frames() - slowBefore)).toBeGreaterThan(3);
    expect(sent.map(({ maxFps }) => maxFps)).toEqual(expect.arrayContaining([2, 15]));
    for (const { maxFps, times } of sent) {
      const seconds = (times.at(-1) ?? 0) - (times[0] ?? 0);
      // One frame begins the time, and frames may be up to half an interval early on both of its ends. The
      // times are noted a little later than the viewer counts, so the half frame is rounded up.
      expect(times.length).toBeLessThanOrEqual(Math.ceil(maxFps * seconds + 2.5));
    }
  });

  it('that does not draw what it gets is sent nothing more, while others are', async () => {
    await session.goto('/animated');
    const hung = await openViewer('view');
    const other = await openViewer('view');
    // A page whose script is paused handles no frames.
    const debugging = await hung.page.context().newCDPSession(hung.page);
    const paused = new Promise((resolve) => debugging.once('Debugger.paused', resolve));
    await debugging.send('Debugger.enable');
    await debugging.send('Debugger.pause');
    await paused;
    const [before, others] = [hung.frames(), other.frames()];
    await expect.poll(() => other.frames() - others).toBeGreaterThan(5);
    // The one that was on its way, and those of which the test had not heard yet.
    expect(hung.frames() - before).toBeLessThanOrEqual(3);
    await debugging.send('Debugger.resume');
    await expect.poll(() => hung.frames() - before).toBeGreaterThan(5);
  });

  it('shares one screencast with all others, which ends with the last of them', async () => {
    await session.goto('/animated');
    const captured = new Set<string>();
    let frames = 0;
    const stop = session.connection.onEvent(({ method, sessionId }) => {
      if (method !== 'Page.screencastFrame') return;
      captured.add(sessionId ?? '');
      frames++;
    });
    const framesWhileNobodyWatches = async () => {
      frames = 0;
      await sleep(500);
      return frames;
    };
    // A frame that was on its way when the last viewer left may still come.
    await expect.poll(framesWhileNobodyWatches).toBe(0);
    const all = [await openViewer('view'), await openViewer('view'), await openViewer('control')];
    await expect.poll(() => all.every((viewer) => viewer.frames() > 5)).toBe(true);
    expect(captured.size).toBe(1);
    for (const viewer of viewers.splice(0)) await viewer.page.context().close();
    await expect.poll(() => session.told.viewers.at(-1)).toBe(0);
    await expect.poll(framesWhileNobodyWatches).toBe(0);
    stop();
  });

  it('sees the picture in the size of the own window, also after it was resized', async () => {
    await session.goto('/counting');
    const viewer = await openViewer('control');
    await viewer.page.mouse.click(700, 500);
    await expect.poll(() => session.evaluate('clicks')).toBe(1);
    await viewer.page.setViewportSize({ width: 400, height: 300 });
    await viewer.page.mouse.click(390, 290);
    await expect.poll(() => session.evaluate('clicks')).toBe(2);
    // The picture keeps its proportions, so this is beside it.
    await viewer.page.setViewportSize({ width: 1_000, height: 300 });
    await viewer.page.mouse.click(700, 150);
    await viewer.page.mouse.click(390, 290);
    await expect.poll(() => session.evaluate('clicks')).toBe(3);
    expect(await session.evaluate('innerWidth + "x" + innerHeight')).toBe('800x600');
  });

  it('with control makes the page as large as its own window if the URL says so', async () => {
    await session.goto('/counting');
    const settings = { query: '?resize=true&toolbar=false', viewport: { width: 640, height: 480 } };
    const watching = await openViewer('view', { ...settings, viewport: { width: 320, height: 240 } });
    const viewer = await openViewer('control', settings);
    await expect.poll(() => session.evaluate('innerWidth + "x" + innerHeight')).toBe('640x480');
    await watching.page.setViewportSize({ width: 300, height: 200 });
    await viewer.page.setViewportSize({ width: 800, height: 600 });
    await expect.poll(() => session.evaluate('innerWidth + "x" + innerHeight')).toBe('800x600');
  });

  it('may be embedded in a page of another origin, also in a sandbox', async () => {
    await session.goto('/red');
    for (const sandbox of ['', '?sandbox']) {
      const { page } = await openViewer('view');
      const query = new URLSearchParams({ url: session.urls.control });
      await page.goto(`${session.pages.url}/embedding${sandbox}#${query}`);
      const frame = page.frames().find((each) => each.url() === session.urls.control);
      await frame?.locator('#status').waitFor({ state: 'hidden' });
      await expect.poll(() => frame?.title()).toBe('Red – live view');
    }
  });
});

describe('A viewer with a read-only URL', () => {
  it('changes nothing, even with forged messages', async () => {
    await session.goto('/counting');
    const activity = session.told.activity;
    const viewer = await openViewer('view');
    await viewer.page.mouse.click(400, 300);
    await viewer.page.keyboard.type('a');
    await viewer.page.evaluate(async (target) => {
      const socket = new WebSocket(location.href.replace(/^http/, 'ws'));
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      const mouse = { x: 400, y: 300, button: 'left', buttons: 1, clickCount: 1, modifiers: 0 };
      const key = { key: 'Enter', code: 'Enter', keyCode: 13, location: 0, repeat: false, modifiers: 0 };
      const messages = [
        { type: 'mouse', action: 'down', ...mouse },
        { type: 'mouse', action: 'up', ...mouse, buttons: 0 },
        { type: 'key', action: 'down', text: '\r', ...key },
        { type: 'touch', action: 'start', points: [{ id: 0, x: 400, y: 300 }], modifiers: 0 },
        { type: 'touch', action: 'end', points: [], modifiers: 0 },
        { type: 'wheel', x: 400, y: 300, deltaX: 0, deltaY: 100, modifiers: 0 },
        { type: 'text', text: 'text' },
        { type: 'composition', text: 'text' },
        { type: 'paste', text: 'text' },
        { type: 'copy' },
        { type: 'resize', width: 300, height: 300 },
        { type: 'showTab', targetId: target },
        { type: 'closeTab', targetId: target },
      ];
      for (const message of messages) socket.send(JSON.stringify(message));
    }, session.liveView.targetId ?? '');
    // A viewer with control, whose click comes after all of that.
    const control = await openViewer('control');
    await control.page.mouse.click(400, 300);
    await expect.poll(() => session.evaluate('clicks')).toBe(1);
    expect(await session.evaluate('innerWidth')).toBe(800);
    // Of the viewer with control: at least a button that was pressed and released.
    expect(session.told.activity).toBeGreaterThanOrEqual(activity + 2);
    expect(session.told.activity).toBeLessThanOrEqual(activity + 4);
  });
});
