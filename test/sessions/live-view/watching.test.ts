import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveViewFixture, startLiveView } from '../../support/live-view.ts';

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
};

let session: LiveViewFixture;
beforeAll(async () => {
  session = await startLiveView(PAGES);
});
afterAll(() => session[Symbol.asyncDispose]());

describe('A viewer', () => {
  it('sees a page that does not change, at once', async () => {
    await session.goto('/red');
    const first = await session.openViewer('view');
    await expect.poll(() => first.colorAt(400, 300)).toMatch(/^25[45],[01],[01]$/);
    await expect.poll(() => first.page.title()).toBe('Red – live view');
    const second = await session.openViewer('view');
    await expect.poll(() => second.colorAt(400, 300)).toMatch(/^25[45],[01],[01]$/);
  });
});
