import { describe, expect, it } from 'vitest';
import { scrape } from '../../support/api/call.ts';
import { startPages } from '../../support/sites/pages.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Actions on a page before it is read, tested through the API. */

const html = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>Test</title></head><body>${body}</body></html>`;

/** A server that takes so many milliseconds is slower than any other request of a page is waited for. */
const SLOW_MS = 6_000;

/** Scrapes one page after actions. */
async function act(body: string, actions: object[], options: Record<string, unknown> = {}) {
  await using pages = await startPages({
    '/': html(body),
    '/next': html('<main><h1>The next page</h1></main>'),
    '/slow': (_request, response) =>
      void setTimeout(() => response.end(html('<main><h1>The slow page</h1></main>')), SLOW_MS),
    '/data': (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":1}'),
  });
  const answer = await scrape({ url: `${pages.url}/`, maxAge: 0, actions, ...options });
  return { ...answer, data: answer.body.data, url: pages.url };
}

/**
 * Scrapes one page after actions until its result fulfils a condition: a navigation that an action causes is
 * waited for if it begins soon, which it may not do on a busy machine.
 */
const actUntil = (isWanted: (data: Acted['data']) => boolean, ...acts: Parameters<typeof act>) =>
  pollUntil(async () => {
    const acted = await act(...acts);
    expect(acted.body, JSON.stringify(acted.body)).toMatchObject({ success: true });
    return isWanted(acted.data) && acted;
  });
type Acted = Awaited<ReturnType<typeof act>>;

async function file(address: string) {
  const response = await fetch(address);
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
}

const script = (code: string) => ({ type: 'executeJavascript', script: code });

describe.concurrent('an action', () => {
  it('click triggers the click handler with a trusted event', async () => {
    const { data } = await act(
      `<button onclick="said.textContent = 'Clicked ' + event.isTrusted">Go</button><p id="said"></p>`,
      [{ type: 'click', selector: 'button' }],
    );
    expect(data.markdown).toContain('Clicked true');
  });

  it('click reaches an element that another element covers', async () => {
    const { data } = await act(
      `<button onclick="said.textContent = 'Reached'">Go</button><p id="said"></p>
       <div style="position:fixed;inset:0;background:white">Cookies?</div>`,
      [{ type: 'click', selector: 'button' }],
    );
    expect(data.markdown).toContain('Reached');
  });

  it.each([false, true])('click reaches what a hostile page covers (all: %s)', async (all) => {
    const { data } = await act(
      `<p id="said"></p><button id="one">One</button><button id="two">Two</button>
       <div style="position:fixed;inset:0;background:white">Cookies?</div>
       <script>
        for (const each of [one, two]) each.addEventListener('click', () => { said.append(each.id + ' reached. ') });
        one.addEventListener('click', () => one.remove());
        const refuse = () => { throw new Error('the page does not allow it') };
        globalThis.Event = globalThis.MouseEvent = refuse;
        EventTarget.prototype.dispatchEvent = Document.prototype.createEvent = one.dispatchEvent = refuse;
       </script>`,
      [{ type: 'click', selector: 'button', all }],
    );
    expect(data.markdown).toContain('one reached');
    expect(data.markdown.includes('two reached')).toBe(all);
  });

  it("click reaches what is covered by a selector that only Playwright's CSS has", async () => {
    const { data } = await act(
      `<button>No</button><button onclick="said.textContent = 'Reached'">Go on</button><p id="said"></p>
       <div style="position:fixed;inset:0;background:white">Cookies?</div>`,
      [{ type: 'click', selector: 'button:has-text("Go on")' }],
    );
    expect(data.markdown).toContain('Reached');
  });

  it('click waits for the navigation that it starts', async () => {
    const { data, url } = await act('<a href="/next">on</a>', [
      { type: 'click', selector: 'a' },
      { type: 'scrape' },
    ]);
    expect(data.markdown).toContain('The next page');
    expect(data.metadata.url).toBe(`${url}/next`);
    expect(data.actions.scrapes[0].url).toBe(`${url}/next`);
  });

  it('click waits for the page that it asks a slow server for', async () => {
    const { data } = await act(
      `<main>${'<p>What was there before.</p>'.repeat(9)}<a href="/slow">on</a></main>`,
      [{ type: 'click', selector: 'a' }, { type: 'scrape' }],
    );
    expect(data.actions.scrapes[0].html).toContain('The slow page');
    expect(data.markdown).toContain('The slow page');
  });

  it('click warns when it opened another tab', async () => {
    const { data } = await act('<p>Stays</p><a href="/next" target="_blank">on</a>', [
      { type: 'click', selector: 'a' },
    ]);
    expect(data.markdown).toContain('Stays');
    expect(data.warning).toContain('opened another tab, which is not read');
  });

  it('click with all clicks every match, and succeeds without any', async () => {
    const { data } = await act(
      `<main>${'<button onclick="this.after(` opened`); this.remove()">more</button>'.repeat(3)}</main>`,
      [
        { type: 'click', selector: 'button', all: true },
        { type: 'click', selector: '.none', all: true },
      ],
    );
    expect(data.markdown.match(/opened/g)).toHaveLength(3);
    expect(data.markdown).not.toContain('more');
  });

  it('write and press fill in a form and send it', async () => {
    const { data, url } = await act('<form action="/next"><input name="q" value="old"></form>', [
      { type: 'click', selector: 'input' },
      { type: 'press', key: 'Control+A' },
      { type: 'write', text: 'grüße & 你好' },
      { type: 'press', key: 'Enter' },
    ]);
    expect(data.markdown).toContain('The next page');
    expect(new URL(data.metadata.url).searchParams.get('q')).toBe('grüße & 你好');
    expect(data.metadata.url.startsWith(`${url}/next?`)).toBe(true);
  });

  it('click gives the focus to a field that something covers', async () => {
    const { data, url } = await act(
      '<div style="position:fixed;inset:0;z-index:9"></div><form action="/next"><input name="q"></form>',
      [
        { type: 'click', selector: 'input' },
        { type: 'write', text: 'covered' },
        { type: 'press', key: 'Enter' },
      ],
    );
    expect(data.metadata.url).toBe(`${url}/next?q=covered`);
  });

  it('wait waits until an element appears', async () => {
    const { data } = await act(
      `<main><p>Content of the page, long enough to be taken for what there is to be read. Nothing more will come.</p></main>
       <script>setTimeout(() => document.querySelector('main').insertAdjacentHTML('beforeend', '<p id="late">Late</p>'), 2500)</script>`,
      [{ type: 'wait', selector: '#late' }],
    );
    expect(data.markdown).toContain('Late');
  });

  it('wait waits for a number of milliseconds', async () => {
    const { data } = await act('<p></p>', [
      script('window.then = performance.now(); 0'),
      { type: 'wait', milliseconds: 700 },
      script('performance.now() - then'),
    ]);
    expect(data.actions.javascriptReturns[1].value).toBeGreaterThanOrEqual(700);
  });

  it('scroll moves the page down and up, which loads lazy content', async () => {
    // A page hears that it was scrolled when it is drawn, which on a busy machine may come after the next
    // action.
    const data = await pollUntil(async () => {
      const { data } = await act(
        `<main><p>Top</p><div style="height:3000px"></div><p id="end">…</p></main><script>
          addEventListener('scroll', () => { if (scrollY > 700) document.getElementById('end').textContent = 'Arrived' });
        </script>`,
        [{ type: 'scroll' }, script('scrollY'), { type: 'scroll', direction: 'up' }, script('scrollY')],
      );
      return data.markdown.includes('Arrived') && data;
    });
    const [down, up] = data.actions.javascriptReturns;
    expect(down.value).toBe(800);
    expect(up.value).toBe(0);
  });

  it('scroll moves one element', async () => {
    const { data } = await act(
      '<div id="box" style="height:100px;overflow:auto"><p style="height:900px">x</p></div>',
      [{ type: 'scroll', selector: '#box', direction: 'down' }, script('[scrollY, box.scrollTop]')],
    );
    expect(data.actions.javascriptReturns[0]).toEqual({ type: 'object', value: [0, 100] });
  });

  it('scroll moves the container that scrolls instead of the page', async () => {
    const { data } = await act(
      `<div id="app" style="position:fixed;inset:0;overflow:auto"><p style="height:9000px">x</p></div>`,
      [{ type: 'scroll' }, script('app.scrollTop')],
    );
    expect(data.actions.javascriptReturns[0].value).toBe(800);
  });

  it('screenshot captures the viewport, the whole page, or another viewport', async () => {
    const { data } = await act('<div style="height:2000px;background:teal">tall</div>', [
      { type: 'screenshot' },
      { type: 'screenshot', fullPage: true, quality: 50 },
      { type: 'screenshot', viewport: { width: 300, height: 200 } },
    ]);
    const [window, whole, small] = await Promise.all(data.actions.screenshots.map(file));
    expect([window.type, whole.type, small.type]).toEqual(['image/png', 'image/jpeg', 'image/png']);
    // PNG keeps width and height behind its signature and the name of its first chunk.
    const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(sizeOf(window.bytes)).toEqual([1280, 800]);
    expect(sizeOf(small.bytes)).toEqual([300, 200]);
    expect(jpegHeight(whole.bytes)).toBeGreaterThan(2000);
  });

  it('scrape keeps the page as it is at that moment', async () => {
    const { data, url } = await act('<p id="said">before</p>', [
      { type: 'scrape' },
      script(`said.textContent = 'after'`),
      { type: 'scrape' },
    ]);
    expect(data.actions.scrapes).toEqual([
      { url: `${url}/`, html: expect.stringContaining('<p id="said">before</p>') },
      { url: `${url}/`, html: expect.stringContaining('<p id="said">after</p>') },
    ]);
  });

  it('pdf prints the page with the requested options', async () => {
    const { data } = await act('<p>Printed</p>', [
      { type: 'pdf', format: 'A4' },
      { type: 'pdf', format: 'A4', landscape: true, scale: 0.5 },
    ]);
    const [upright, landscape] = await Promise.all(data.actions.pdfs.map(file));
    expect(upright.type).toBe('application/pdf');
    const boxOf = ({ bytes }: { bytes: Buffer }) =>
      /\/MediaBox \[0 0 (\d+)[\d.]* (\d+)/.exec(bytes.toString('latin1'))?.slice(1).map(Number);
    expect(boxOf(upright)).toEqual([expect.closeTo(595, -1), expect.closeTo(842, -1)]);
    expect(boxOf(landscape)).toEqual([expect.closeTo(842, -1), expect.closeTo(595, -1)]);
  });
});

describe('executeJavascript', () => {
  const returned: [string, { type: string; value: unknown }][] = [
    ['document.title', { type: 'string', value: 'Test' }],
    ['return 1 + 1', { type: 'number', value: 2 }],
    ['const a = 1; a > 0', { type: 'boolean', value: true }],
    ['({ a: [1, null] })', { type: 'object', value: { a: [1, null] } }],
    ['fetch("/data").then((answer) => answer.json())', { type: 'object', value: { a: 1 } }],
    ['null', { type: 'object', value: null }],
    ['undefined', { type: 'undefined', value: null }],
    ['await new Promise((done) => setTimeout(done, 50, "later"))', { type: 'string', value: 'later' }],
    ['0 / 0', { type: 'number', value: 'NaN' }],
    ['10n', { type: 'bigint', value: '10n' }],
  ];

  it('returns the type and value of the result of a script', async () => {
    const { data } = await act(
      '<p>x</p>',
      returned.map(([code]) => script(code)),
    );
    expect(data.actions.javascriptReturns).toEqual(returned.map(([, value]) => value));
  });

  it('continues on the page that the script navigates to', async () => {
    const { data } = await actUntil(({ actions }) => actions.javascriptReturns[1].value !== 'x', '<p>x</p>', [
      script(`location.href = '/next'`),
      script('document.body.innerText'),
    ]);
    expect(data.actions.javascriptReturns[1].value).toContain('The next page');
  });

  it('that never ends is stopped by the timeout of the scrape', async () => {
    const { status, body } = await act('<p>x</p>', [script('for (;;);')], { timeout: 3000 });
    expect([status, body.code]).toEqual([408, 'SCRAPE_TIMEOUT']);
  });
});

// Those that wait for an element take as long as its timeout, so they wait together.
describe.concurrent('an action that fails', () => {
  const failing: [string, object, RegExp][] = [
    [
      'click',
      { type: 'click', selector: '#none' },
      /^Action 2 \(click on "#none"\) failed: nothing matches it/,
    ],
    [
      'wait',
      { type: 'wait', selector: '#none' },
      /^Action 2 \(wait on "#none"\) failed: nothing .* to be seen/,
    ],
    [
      'scroll',
      { type: 'scroll', selector: '#none' },
      /^Action 2 \(scroll on "#none"\) failed: nothing matches/,
    ],
    [
      'a selector',
      { type: 'click', selector: 'a[' },
      /^Action 2 \(click on "a\["\) failed: it is no CSS selector/,
    ],
    ['a switched-off button', { type: 'click', selector: 'button' }, /failed: the element is disabled/],
    ['write', { type: 'write', text: 'x' }, /^Action 2 \(write\) failed: nothing on the page has the focus/],
    ['press', { type: 'press', key: 'Nonsense' }, /^Action 2 \(press\) failed: Unknown key: "Nonsense"/],
    ['a script', script('nothing.there'), /^Action 2 \(executeJavascript\) failed: .*nothing is not defined/],
    ['a syntax', script('((('), /^Action 2 \(executeJavascript\) failed: .*SyntaxError/],
  ];
  it.each(failing)('%s is reported with its position and the reason', async (_name, action, message) => {
    const { status, body } = await act('<p>x</p><button disabled>no</button>', [
      { type: 'wait', milliseconds: 1 },
      action,
    ]);
    expect([status, body.code]).toEqual([500, 'SCRAPE_ACTION_ERROR']);
    expect(body.error).toMatch(message);
  });

  it('is reported when the response is not HTML', async () => {
    await using pages = await startPages({
      '/data': (_request, response) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":1}'),
    });
    const { body } = await scrape({ url: `${pages.url}/data`, actions: [{ type: 'scrape' }] });
    expect(body.code).toBe('SCRAPE_ACTION_ERROR');
    expect(body.error).toContain('is application/json, not a page');
  });
});

describe('actions', () => {
  it('run after waitFor in order, and their results keep that order', async () => {
    const { data } = await act(
      '<p>x</p>',
      // The time since the navigation began.
      [script('performance.now() > 2000'), script('2'), script('3')],
      { waitFor: 2000, formats: ['rawHtml'] },
    );
    expect(data.actions.javascriptReturns.map(({ value }: { value: unknown }) => value)).toEqual([
      true,
      2,
      3,
    ]);
    expect(data.actions).toMatchObject({ screenshots: [], scrapes: [], pdfs: [] });
  });

  it('bypass the cache', async () => {
    await using pages = await startPages({ '/': html('<p>x</p>') });
    const request = { url: `${pages.url}/`, actions: [script('1')] };
    for (const _ of [1, 2])
      expect((await scrape(request)).body.data.metadata).not.toHaveProperty('cacheState');
    expect(pages.requests.filter(({ path }) => path === '/')).toHaveLength(2);
    expect((await scrape({ url: request.url })).body.data.metadata.cacheState).toBe('miss');
  });

  it('are refused with fastMode', async () => {
    const { status, body } = await act('<p>x</p>', [script('1')], { fastMode: true });
    expect([status, body.code]).toEqual([400, 'SCRAPE_ACTIONS_NOT_SUPPORTED']);
  });

  it('end when the response becomes a file, which is then read instead', async () => {
    const { data } = await act('<a href="/data">data</a>', [{ type: 'click', selector: 'a' }]);
    expect(data.metadata.contentType).toBe('application/json');
    expect(data.markdown).toContain('"a":1');
  });
});

/** The height in a JPEG's frame header (SOF0 or SOF2). */
function jpegHeight(bytes: Buffer): number {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at + 1] === 0xc0 || bytes[at + 1] === 0xc2) return bytes.readUInt16BE(at + 5);
  }
  throw new Error('no frame header');
}
