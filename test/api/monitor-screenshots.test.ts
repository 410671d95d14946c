import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPng } from '../../src/content/pictures/png-rows.ts';
import { type ApiResponse, call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { declaredBody, startReceiver } from '../support/webhooks/receiver.ts';

/** Monitors that compare the screenshots of pages. */

type Body = ApiResponse['body'];

useService();
const db = useDatabase();

/** How the page looks; its words do not depend on that. */
const NORMAL = {
  photo: '#2040c8',
  dot: 'white',
  advertisement: 'gold',
  words: 'The lamp is blue.',
  height: 300,
};
type Look = typeof NORMAL;
/** Side of the photo and of the advertisement, and of the dot, in pixels. */
const SIDE = 300;
const DOT = 20;

const pageOf = ({ photo, dot, advertisement, words, height }: Look) => `<!doctype html><title>Lamp</title>
<style>
  body { margin: 0; background: white }
  div { position: absolute; width: ${SIDE}px; height: ${SIDE}px }
  #photo { left: 0; top: 100px; background: ${photo} }
  #ad { left: 400px; top: 100px; background: ${advertisement}; color: ${advertisement}; transition: opacity 5s }
  #dot { left: 800px; top: 100px; width: ${DOT}px; height: ${DOT}px; background: ${dot} }
  #spinner { left: 900px; top: 100px; background: linear-gradient(90deg, black, red); animation: turn 0.7s linear infinite }
  #fading { left: 1300px; top: 100px; background: teal; animation: fade 40s forwards }
  @keyframes turn { to { transform: rotate(360deg) } }
  @keyframes fade { from { opacity: 0 } }
</style>
<main style="height: ${height}px"><p>${words}</p></main>
<div id="photo"></div><div id="ad" style="outline: none"></div><div id="dot"></div><div id="spinner"></div><div id="fading"></div>`;

const looks = new Map<string, Look>();
let site: Pages;
beforeAll(async () => {
  const serve = (_request: unknown, response: { end(html: string): void }, path: string) =>
    response.end(pageOf(looks.get(path) ?? NORMAL));
  const paths = ['/told', '/noise', '/masked', '/tall', '/pixels', '/down'];
  site = await startPages(
    Object.fromEntries(
      paths.map((path) => [
        path,
        (request, response) => {
          if (looks.get(path) === BROKEN) return void response.writeHead(503).end();
          response.setHeader('Content-Type', 'text/html');
          serve(request, response, path);
        },
      ]),
    ),
  );
});
afterAll(() => site?.[Symbol.asyncDispose]());

const BROKEN: Look = { ...NORMAL };

/** Creates a monitor of a page. */
async function create(team: TestTeam, path: string, target: object, more: object = {}): Promise<Body> {
  const body = {
    name: 'Lamp',
    schedule: { text: 'daily' },
    targets: [{ type: 'scrape', urls: [site.url + path], ...target }],
    ...more,
  };
  const response = await call('/v2/monitor', { body, key: team.key });
  expect(response.body).toMatchObject({ success: true });
  return response.body.data;
}

const watching = (screenshot: object, formats: unknown[] = ['markdown', 'screenshot']) => ({
  scrapeOptions: { formats },
  changeDetection: { screenshot },
});

/** Checks a page that looks as said. @returns what the check found of it, and the check */
async function checkWith(monitor: Body, team: TestTeam, look: Look): Promise<{ page: Body; check: Body }> {
  looks.set(new URL(monitor.targets[0].urls[0]).pathname, look);
  const { id } = (await call(`/v2/monitor/${monitor.id}/run`, { body: {}, key: team.key })).body;
  const check = await pollUntil(async () => {
    const { data } = (await call(`/v2/monitor/${monitor.id}/checks/${id}`, { key: team.key })).body;
    return data.status !== 'running' && data;
  });
  return { page: check.pages[0], check };
}

/** Reads a picture by its URL, without a key. @returns its size, and its pixels by colour */
async function look(url: string) {
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  const png = openPng(Buffer.from(await response.arrayBuffer()))!;
  const counts = new Map<string, number>();
  for await (const row of png.rows())
    for (let at = 0; at < row.length; at += png.channels) {
      const colour = row.subarray(at, at + 3).join(',');
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  return {
    pixels: png.width * png.height,
    height: png.height,
    of: (colour: string) => counts.get(colour) ?? 0,
  };
}

const BLUE = '32,64,200';
const GREEN = '0,128,0';
const CHANGED = '214,31,60';

describe.concurrent('a monitor that compares screenshots', () => {
  it('tells with before, after and difference that a picture has changed where the words have not', async () => {
    await using receiver = await startReceiver();
    const team = await makeTeam(db);
    const monitor = await create(team, '/told', watching({}), {
      webhook: { url: receiver.url, events: ['page'] },
    });
    const first = await checkWith(monitor, team, NORMAL);
    expect(first.page).toMatchObject({ status: 'new', diff: null });
    expect((await look(first.page.snapshot.screenshot)).of(BLUE)).toBe(SIDE * SIDE);
    // The page moves, and the pictures of it are the same.
    const second = await checkWith(monitor, team, NORMAL);
    expect(second.page).toMatchObject({ status: 'same', diff: null, snapshot: { changedShare: 0 } });

    const { page, check } = await checkWith(monitor, team, { ...NORMAL, photo: 'green' });
    expect(check).toMatchObject({
      status: 'completed',
      warning: null,
      summary: { changed: 1, totalPages: 1 },
    });
    expect(page.status).toBe('changed');
    expect(page.diff.text).toBeUndefined();
    const { before, after, difference, changedShare } = page.diff.screenshot;
    const [old, now, differing] = [await look(before), await look(after), await look(difference)];
    expect([old.of(BLUE), old.of(GREEN)]).toEqual([SIDE * SIDE, 0]);
    expect([now.of(BLUE), now.of(GREEN)]).toEqual([0, SIDE * SIDE]);
    expect(differing.of(CHANGED)).toBe(SIDE * SIDE);
    expect(changedShare).toBeCloseTo((SIDE * SIDE) / old.pixels, 6);
    expect(page.snapshot).toMatchObject({ screenshot: after, changedShare });

    const told = (await receiver.until(3))[2]!;
    expect(declaredBody(told)).toEqual(told.event);
    const [event] = told.event.data;
    expect(event).toMatchObject({ status: 'changed', diff: { screenshot: { changedShare } } });
    expect((await look(event.diff.screenshot.difference)).of(CHANGED)).toBe(SIDE * SIDE);
    expect(await (await fetch(monitor.feedUrl)).text()).toMatch(/\d+(?:\.\d)? % of the screenshot differs\./);

    // The next check is compared with the new picture.
    const last = await checkWith(monitor, team, { ...NORMAL, photo: 'green', words: 'The lamp is green.' });
    expect(last.page).toMatchObject({ status: 'changed' });
    expect(last.page.diff.text).toContain('+The lamp is green.');
    expect(last.page.diff.screenshot.changedShare).toBeLessThan(0.005);
  });

  it('finds no change in noise under the threshold, which adds up', async () => {
    const team = await makeTeam(db);
    const monitor = await create(team, '/noise', watching({ threshold: 0.02 }));
    const { page: first } = await checkWith(monitor, team, NORMAL);
    const { page } = await checkWith(monitor, team, { ...NORMAL, dot: 'black' });
    expect(page).toMatchObject({ status: 'same', diff: null });
    expect(page.snapshot.changedShare).toBeGreaterThan(0);
    expect(await look(page.snapshot.screenshot)).toMatchObject({
      pixels: (await look(first.snapshot.screenshot)).pixels,
    });
    const both = await checkWith(monitor, team, { ...NORMAL, dot: 'black', photo: 'green' });
    expect(both.page.status).toBe('changed');
    expect((await look(both.page.diff.screenshot.difference)).of(CHANGED)).toBe(SIDE * SIDE + DOT * DOT);
  });

  it('leaves out what its mask names: elements by selectors, and rectangles', async () => {
    const team = await makeTeam(db);
    const rectangle = { x: 800, y: 100, width: DOT, height: DOT };
    const formats = ['markdown', 'rawHtml', 'html', 'screenshot'];
    const monitor = await create(
      team,
      '/masked',
      watching({ threshold: 0, mask: ['#ad', rectangle] }, formats),
    );
    const { page: first } = await checkWith(monitor, team, NORMAL);
    expect((await look(first.snapshot.screenshot)).of('255,215,0')).toBe(0);
    const { page } = await checkWith(monitor, team, { ...NORMAL, advertisement: 'lime', dot: 'black' });
    expect(page).toMatchObject({ status: 'same', snapshot: { changedShare: 0 } });
    const seen = await checkWith(monitor, team, { ...NORMAL, advertisement: 'red', photo: 'green' });
    expect((await look(seen.page.diff.screenshot.difference)).of(CHANGED)).toBe(SIDE * SIDE);
  });

  it('compares pages of different heights by the larger one', async () => {
    const team = await makeTeam(db);
    const fullPage = [{ type: 'screenshot', fullPage: true }];
    const monitor = await create(team, '/tall', watching({}, ['markdown', ...fullPage]));
    const { page: first } = await checkWith(monitor, team, { ...NORMAL, height: 4_000 });
    const { height } = await look(first.snapshot.screenshot);
    const { page } = await checkWith(monitor, team, { ...NORMAL, height: 5_000 });
    expect(page.status).toBe('changed');
    const taller = await look(page.diff.screenshot.after);
    expect(taller.height).toBe(height + 1_000);
    expect(page.diff.screenshot.changedShare).toBeCloseTo(1_000 / taller.height, 6);
    expect((await look(page.diff.screenshot.difference)).height).toBe(taller.height);
  });

  it('counts pixels alone where it asks for nothing but a screenshot', async () => {
    const team = await makeTeam(db);
    const monitor = await create(team, '/pixels', watching({ threshold: 0.02 }, ['screenshot']));
    await checkWith(monitor, team, NORMAL);
    const { page } = await checkWith(monitor, team, { ...NORMAL, words: 'The lamp is not blue at all.' });
    expect(page).toMatchObject({ status: 'same', diff: null });
    const { page: next } = await checkWith(monitor, team, { ...NORMAL, photo: 'green' });
    expect(next.status).toBe('changed');
  });

  it('compares a page that was down with the last picture of it', async () => {
    const team = await makeTeam(db);
    const monitor = await create(team, '/down', watching({}));
    await checkWith(monitor, team, NORMAL);
    const { page: down } = await checkWith(monitor, team, BROKEN);
    expect(down).toMatchObject({ status: 'error', diff: null, snapshot: null });
    const { page } = await checkWith(monitor, team, { ...NORMAL, photo: 'green' });
    expect(page).toMatchObject({ status: 'changed' });
    expect((await look(page.diff.screenshot.before)).of(BLUE)).toBe(SIDE * SIDE);
  });

  it.each<[string, object, string]>([
    [
      'no screenshot is asked for',
      { changeDetection: { screenshot: {} } },
      'there is no screenshot to compare',
    ],
    [
      'it is a JPEG',
      watching({}, [{ type: 'screenshot', quality: 80 }]),
      'Leave quality out of the screenshot',
    ],
    ['the threshold is more than everything', watching({ threshold: 1.5 }), 'threshold'],
    ['the mask has what is no selector', watching({ mask: ['//div'] }), 'mask'],
    ['a rectangle has no size', watching({ mask: [{ x: 0, y: 0, width: 0, height: 1 }] }), 'mask'],
    ['an option is unknown', watching({ treshold: 0.1 }), 'threshold'],
  ])('is refused if %s', async (_name, target, fault) => {
    const targets = [{ type: 'scrape', urls: [`${site.url}/told`], ...target }];
    const { status, body } = await call('/v2/monitor', {
      body: { name: 'Lamp', schedule: { text: 'daily' }, targets },
    });
    expect([status, body.success]).toEqual([400, false]);
    expect(JSON.stringify(body)).toContain(fault);
  });
});
