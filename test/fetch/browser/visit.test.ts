import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openPng } from '../../../src/content/pictures/png-rows.ts';
import { scrape } from '../../support/api/call.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { startTlsSite } from '../../support/sites/tls-site.ts';
import { sampleOf } from '../../support/suite/corpus.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Effects of pages on the browser, and what pages can learn about it, tested through the API. */

/** Makes the browser open the page, never the plain fetch. */
const IN_BROWSER = { waitFor: 1, maxAge: 0 };

const html = (body: string, head = '') =>
  `<!doctype html><html><head><title>Test</title>${head}</head><body><main>${body}</main></body></html>`;

async function markdownOf(url: string, options: Record<string, unknown> = {}): Promise<string> {
  const { body } = await scrape({ url, ...IN_BROWSER, ...options });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return body.data.markdown;
}

/**
 * Reads a page until its result has what its scripts bring, and nothing that it adds too late. On a busy
 * machine a page may be quiet for longer than the browser waits for it.
 */
const readUntil = (
  url: string,
  { has, lacks }: { has: string; lacks?: string },
  options: Record<string, unknown> = {},
) =>
  pollUntil(async () => {
    const markdown = await markdownOf(url, options);
    return markdown.includes(has) && !(lacks && markdown.includes(lacks)) && markdown;
  });

describe.concurrent('headers of the request', () => {
  const headers = { 'X-Secret': 'for-you-only', Authorization: 'Bearer mine', Cookie: 'session=open; a=b' };
  const ownHeaders = {
    'x-secret': 'for-you-only',
    authorization: 'Bearer mine',
    cookie: 'session=open; a=b',
  };

  function expectNone(pages: Pages, path: string): void {
    const seen = pages.headersOf(path);
    expect(seen, path).toBeDefined();
    expect(seen, path).not.toHaveProperty('x-secret');
    expect(seen, path).not.toHaveProperty('authorization');
    expect(seen, path).not.toHaveProperty('cookie');
  }

  it('are sent to the page and its own origin, and to no third party', async () => {
    await using stranger = await startPages({
      '/pixel.js': (_request, response) =>
        response
          .writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' })
          .end(),
      '/frame': html('framed'),
    });
    // Cookies know hosts, not ports: the stranger goes by another name.
    const other = stranger.url.replace('127.0.0.1', 'localhost');
    await using own = await startPages({
      '/': html(
        `<p>Hello</p><script src="/own.js"></script><script src="${other}/pixel.js"></script>
         <iframe src="${other}/frame"></iframe><script>fetch('${other}/pixel.js?fetched')</script>`,
      ),
      '/own.js': (_request, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(),
    });
    expect(await markdownOf(`${own.url}/`, { headers })).toContain('Hello');
    expect(own.headersOf('/')).toMatchObject(ownHeaders);
    expect(own.headersOf('/own.js')).toMatchObject(ownHeaders);
    expectNone(stranger, '/pixel.js');
    expectNone(stranger, '/frame');
  });

  it.each([
    ['the browser', IN_BROWSER],
    ['the plain fetch', { fastMode: true }],
  ])('do not follow a redirect to another origin in %s', async (_name, options) => {
    await using stranger = await startPages({ '/elsewhere': html('Elsewhere') });
    const other = stranger.url.replace('127.0.0.1', 'localhost');
    await using own = await startPages({
      '/': (_request, response) => response.writeHead(302, { Location: '/next' }).end(),
      '/next': (_request, response) => response.writeHead(302, { Location: `${other}/elsewhere` }).end(),
    });
    const { body } = await scrape({ url: `${own.url}/`, headers, ...options });
    expect(body.data.markdown).toContain('Elsewhere');
    expect(own.headersOf('/')).toMatchObject(ownHeaders);
    expect(own.headersOf('/next')).toMatchObject(ownHeaders);
    expectNone(stranger, '/elsewhere');
  });
});

describe('a page that misbehaves', () => {
  it('is read even when it opens dialogs', async () => {
    await using pages = await startPages({
      '/': html(`<p id="said"></p><script>
        alert('Stop!');
        said.textContent = 'Answers: ' + confirm('Go on?') + ' ' + prompt('Name?', 'x');
        window.onbeforeunload = () => 'Stay!';
      </script>`),
    });
    expect(await markdownOf(pages.url)).toContain('Answers: false null');
  });

  it('is read even when it opens popups and tabs', async () => {
    await using pages = await startPages({
      '/': html(`<p>The first page</p><a id="tab" target="_blank" href="/popup">tab</a>
        <script>window.open('/popup'); tab.click();</script>`),
      '/popup': html(`<p>A popup</p><script>alert('Look here!')</script>`),
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('The first page');
    expect(markdown).not.toContain('A popup');
  });

  it('is read even when it never settles', async () => {
    await using pages = await startPages({
      '/': html(`<p>Content from the start</p><p id="clock"></p><script>
        let ticks = 0;
        setInterval(() => { clock.textContent = 'tick ' + ++ticks; fetch('/poll'); }, 20);
      </script>`),
      '/poll': () => undefined,
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('Content from the start');
    expect(markdown).toMatch(/tick \d+/);
  });

  it('is read at the URL that its own scripts navigate to', async () => {
    await using pages = await startPages({
      '/': html(`<p>Wait</p><script>setTimeout(() => { location.href = '/second' }, 100)</script>`),
      '/second': html(`<p>Second</p><script>setTimeout(() => { location.replace('/third') }, 100)</script>`),
      '/third': html('<p>The third page</p>'),
    });
    const data = await pollUntil(async () => {
      const { body } = await scrape({ url: `${pages.url}/`, ...IN_BROWSER });
      // On a busy machine it may be quiet between two of them for longer than the browser waits.
      return body.data.markdown.includes('The third page') && body.data;
    });
    expect(data.metadata).toMatchObject({ url: `${pages.url}/third`, sourceURL: `${pages.url}/` });
  });

  it('is an error when its scripts navigate to a URL that cannot be opened', async () => {
    await using pages = await startPages({
      '/': html(`<p>Wait</p><script>location.protocol = 'https:'</script>`),
    });
    const { body } = await scrape({ url: `${pages.url}/`, ...IN_BROWSER });
    expect(body).toMatchObject({ success: false, code: 'SCRAPE_SSL_ERROR' });
    expect(body.error).toContain(`of ${pages.url.replace('http', 'https')}/`);
  });

  it('with an endless loop ends at its timeout and does not delay other pages', async () => {
    await using pages = await startPages({
      '/': html('<p>Busy</p><script>setTimeout(() => { for (;;); }, 50)</script>'),
      '/calm': html('<p>Calm</p>'),
    });
    const busy = scrape({ url: `${pages.url}/`, ...IN_BROWSER, timeout: 3000 });
    expect(await markdownOf(`${pages.url}/calm`)).toContain('Calm');
    const { status, body } = await busy;
    expect([status, body.code]).toEqual([408, 'SCRAPE_TIMEOUT']);
    expect(await markdownOf(`${pages.url}/calm`)).toContain('Calm');
  });
});

/** Content that is long enough for the page not to count as a shell. */
const STORY = `<p>${'The story that the page tells to everybody who asks. '.repeat(6)}</p>`;
/** Says "late" when everything should be over, but before the browser stops waiting for any page. */
const LATE = `<p id="late"></p><script>setTimeout(() => { late.textContent = 'late' }, 5500)</script>`;

describe.concurrent('a page whose scripts fail', () => {
  const WITHOUT_SCRIPTS = 'so this is the page as it was sent, without its scripts';

  it('is read as it was sent when they have removed its text, with a warning, and is not cached', async () => {
    await using pages = await startPages({
      '/': html(`${STORY}<script>document.querySelector('main').textContent = 'An error occurred.'</script>`),
    });
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect(body.data.markdown).toMatch(/^The story/);
    expect(body.data.warning).toContain(
      `The scripts of ${pages.url}/ left hardly any of the text with which it was sent, ${WITHOUT_SCRIPTS}`,
    );
    const kept = await scrape({ url: pages.url, waitFor: 1, minAge: 0 });
    expect(kept.body.code).toBe('SCRAPE_NO_CACHED_DATA');
  });

  it('is read with the text for visitors without scripts when that is all it was sent with', async () => {
    const login = '<form hidden><input type="password"></form>';
    await using pages = await startPages({
      '/': `<body>${login}<noscript><main>${STORY}</main></noscript><script src="/none.js"></script></body>`,
    });
    expect(await markdownOf(pages.url)).toMatch(/^The story/);
  });

  it('is read as it was sent when one of them never arrives', async () => {
    await using pages = await startPages({
      '/': html(STORY, '<script src="/never.js"></script>'),
      '/never.js': () => undefined,
    });
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect(body.data.markdown).toMatch(/^The story/);
    expect(body.data.warning).toContain(
      `${pages.url}/ had not ended after 15 seconds with a part of the text with which it was sent, ${WITHOUT_SCRIPTS}`,
    );
  });

  it('is read as it is where they moved on to another path, or actions were asked for', async () => {
    const empty = `document.querySelector('main').textContent = 'Moved.'`;
    await using pages = await startPages({
      '/left': html(`${STORY}<script>history.pushState({}, '', '/there'); ${empty}</script>`),
      '/acted': html(`${STORY}<script>${empty}</script>`),
    });
    const options = [
      { url: `${pages.url}/left` },
      { url: `${pages.url}/acted`, actions: [{ type: 'scroll' }] },
    ];
    for (const option of options) {
      const { body } = await scrape({ ...IN_BROWSER, ...option });
      expect(body.data.markdown).toBe('Moved.');
      expect(body.data.warning ?? '').not.toContain(WITHOUT_SCRIPTS);
    }
  });
});

describe('a page counts as settled', () => {
  const restless: [string, string][] = [
    ['a request that the server keeps open', `<script>fetch('/hang')</script>`],
    ['a stream of events', `<script>new EventSource('/hang')</script>`],
    ['questions for news', `<script>setInterval(() => fetch('/news'), 150)</script>`],
    ['a picture that does not come', '<img src="/hang">'],
    [
      'a clock',
      `<p id="clock"></p><script>setInterval(() => { clock.textContent = 'at ' + Date.now() }, 100)</script>`,
    ],
    [
      'an animation',
      `<p id="dot">.</p><script>setInterval(() => { dot.style.left = Date.now() + 'px' }, 50)</script>`,
    ],
    [
      'a carousel',
      `<p id="ring"></p><script>let n = 0; setInterval(() => { ring.innerHTML = '<b>' + ++n % 9 + '</b>' }, 100)</script>`,
    ],
  ];
  it.each(sampleOf(restless, 3))('in spite of %s', async (_name, part) => {
    await using pages = await startPages({
      '/': html(STORY + part + LATE),
      '/hang': () => undefined,
      '/news': (_request, response) => response.end('none'),
    });
    expect(await readUntil(pages.url, { has: 'The story', lacks: 'late' })).toMatch(/^The story/);
  });

  it('only when the responses that it requested have arrived', async () => {
    await using pages = await startPages({
      '/': html(`${STORY}<p id="more"></p><script>
        fetch('/slow').then((answer) => answer.text()).then((text) => { more.textContent = text });
      </script>`),
      '/slow': (_request, response) => void setTimeout(() => response.end('And more.'), 1500),
    });
    expect(await readUntil(pages.url, { has: 'And more.' })).toContain('The story');
  });

  it('only when it has stopped growing', async () => {
    await using pages = await startPages({
      '/': html(`<ul id="list"></ul><script>
        let rows = 0;
        const timer = setInterval(() => {
          list.insertAdjacentHTML('beforeend', '<li>Row number ' + ++rows + '</li>');
          if (rows === 15) clearInterval(timer);
        }, 150);
      </script>`),
    });
    expect(await readUntil(pages.url, { has: 'Row number 15' })).toContain('Row number 1\n');
  });

  it('not while nothing is visible', async () => {
    await using pages = await startPages({
      '/': html(
        `<div id="app"></div><script>setTimeout(() => { app.textContent = 'Here I am.' }, 2200)</script>`,
      ),
    });
    expect(await readUntil(pages.url, { has: 'Here I am.' })).toBe('Here I am.');
  });

  /**
   * Puts the story in the place of all there was, so much later that only an empty page would be waited for.
   */
  const BEGINS_LATE = `<script>setTimeout(() => { document.body.innerHTML = ${JSON.stringify(STORY)} }, 2300)</script>`;
  const HIDDEN = `<div style="display: none">${'<p>What a dialog would say, and nobody sees. </p>'.repeat(9)}</div>`;
  const TURNING =
    '<style>@keyframes t { to { rotate: 1turn } } i { animation: t 1s infinite }</style><i></i>';
  const placeholders: [string, string][] = [
    ['asks to wait', '<p>Please wait while we prepare your page&hellip;</p>'],
    ['says that it is loading', '<div>Loading <b>the</b> shop...</div>'],
    ['says so in another language', '<div>Einen Moment bitte, die Seite wird geladen</div>'],
    ['shows a name and a spinner', '<h1>Acme Rockets</h1><div class="app-spinner"></div>'],
    ['shows a name and something that turns', `<h1>Acme Rockets</h1>${TURNING}`],
    ['keeps its words hidden', `<p>Loading&hellip;</p>${HIDDEN}`],
    ['counts the percents', '<p>Loading</p><p>42 %</p>'],
  ];
  it.concurrent.each(sampleOf(placeholders, 2))('not while it only %s', async (_name, placeholder) => {
    await using pages = await startPages({ '/': html(placeholder + BEGINS_LATE) });
    expect(await readUntil(pages.url, { has: 'The story' })).toMatch(/^The story/);
  });

  it('although it loads more beside its text', async () => {
    const links = ['Home', 'Products', 'About us', 'Contact'].map((each) => `<li>${each}</li>`).join('');
    await using pages = await startPages({
      '/': html(`<ul>${links}</ul><p class="spinner">Loading&hellip;</p>${BEGINS_LATE}`),
    });
    expect(await readUntil(pages.url, { has: 'Products', lacks: 'The story' })).toContain('About us');
  });

  it('with its placeholder when nothing else ever arrives', async () => {
    await using pages = await startPages({ '/': html('<p>Loading&hellip;</p><script></script>') });
    expect(await markdownOf(pages.url)).toContain('Loading…');
  });

  it('not while it is empty and may still redirect', async () => {
    await using pages = await startPages({
      '/': html(`Please wait<script>setTimeout(() => { location.href = '/goal' }, 900)</script>`),
      '/goal': html(STORY),
    });
    expect(await readUntil(pages.url, { has: 'The story' })).toMatch(/^The story/);
  });
});

describe.concurrent('a page has in its result', () => {
  it('its frames of any origin, also nested ones', async () => {
    await using stranger = await startPages({
      '/dir/frame': html('<p>From a stranger</p><a href="deeper">Go</a><iframe src="/inner"></iframe>'),
      '/inner': html('<p>Inside the inside</p>'),
    });
    const other = stranger.url.replace('127.0.0.1', 'localhost');
    await using pages = await startPages({
      '/': html(`<p>Above</p><iframe id="own" src="/frame"></iframe><p>Between</p>
        <iframe src="${other}/dir/frame"></iframe><p>Below</p>
        <iframe srcdoc="<p>From an attribute</p>"></iframe><iframe src="/hidden" style="display:none"></iframe>`),
      '/frame': html('<p>From the same origin</p>'),
      '/hidden': html('<p>Nobody sees this</p>'),
    });
    const { body } = await scrape({
      url: pages.url,
      ...IN_BROWSER,
      formats: ['markdown', 'rawHtml', 'links'],
    });
    const { markdown, rawHtml, links } = body.data;
    const parts = [
      'Above',
      'From the same origin',
      'Between',
      'From a stranger',
      'Inside the inside',
      'Below',
    ];
    const places = [...parts, 'From an attribute'].map((part) => markdown.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(markdown).not.toContain('Nobody sees this');
    expect(links).toContain(`${other}/dir/deeper`);
    expect(rawHtml).toMatch(/<div id="own" src="\/frame" data-original-tag="iframe">/);
    const without = await markdownOf(pages.url, { excludeTags: ['iframe'] });
    expect(without).toContain('Between');
    expect(without).not.toContain('From');
    expect(await markdownOf(pages.url, { includeTags: ['iframe#own'] })).toBe('From the same origin');
  });

  it('a bounded number of frames', async () => {
    const frames = Array.from({ length: 40 }, (_, index) => `<iframe srcdoc="<p>No ${index}.</p>"></iframe>`);
    await using pages = await startPages({ '/': html(`<p>Many</p>${frames.join('')}`) });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('No 29.');
    expect(markdown).not.toContain('No 30.');
  });

  it('frames nested to any depth', async () => {
    await using pages = await startPages({
      '/': html(`<iframe srcdoc="<p>Framed</p>"></iframe><div id="deep"></div><script>
        let at = deep;
        for (let n = 0; n < 1500; n++) at = at.appendChild(document.createElement('div'));
        at.textContent = 'At the bottom';
      </script>`),
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toContain('Framed');
    expect(markdown).toContain('At the bottom');
  });

  it('frames of a frameset', async () => {
    await using pages = await startPages({
      '/': '<html><frameset cols="50%,50%"><frame src="/left"><frame src="/right"></frameset></html>',
      '/left': html('<p>On the left</p>'),
      '/right': html('<p>On the right</p>'),
    });
    // The plain fetch sees that there is nothing else, and asks the browser.
    const markdown = await markdownOf(pages.url, { waitFor: 0 });
    expect(markdown).toMatch(/On the left\s+On the right/);
  });

  it('its open shadow trees with filled slots', async () => {
    await using pages = await startPages({
      '/': html(`<p>Light</p><my-card><b slot="title">The title</b>The text</my-card><p>After</p><script>
        customElements.define('my-card', class extends HTMLElement {
          constructor() {
            super();
            this.attachShadow({ mode: 'open' }).innerHTML =
              '<h2><slot name="title"></slot></h2><section>Lead: <slot></slot><slot name="none">Fallback</slot><inner-part></inner-part></section>';
          }
        });
        customElements.define('inner-part', class extends HTMLElement {
          connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<p>Deep</p>' }
        });
      </script>`),
    });
    const markdown = await markdownOf(pages.url);
    expect(markdown).toMatch(/Light\s+## \*\*The title\*\*\s+Lead: The text\s*Fallback\s+Deep\s+After/);
  });

  it('shadow trees that are part of its source', async () => {
    const shadow = '<my-card><template shadowrootmode="open"><p>In the shadow</p></template></my-card>';
    await using pages = await startPages({ '/': html(STORY.repeat(20) + shadow) });
    expect(await markdownOf(pages.url, { waitFor: 0 })).toContain('In the shadow');
  });

  it('the content that its workers load', async () => {
    await using pages = await startPages({
      '/': html(`${STORY}<p id="out"></p><script>
        new Worker('/worker.js').onmessage = ({ data }) => { out.textContent = data };</script>`),
      '/worker.js': (_request, response) =>
        response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(`
          fetch('/data').then((answer) => answer.text()).then(postMessage)`),
      '/data': (_request, response) =>
        setTimeout(() => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('By a worker'), 900),
    });
    expect(await readUntil(pages.url, { has: 'By a worker' })).toContain('The story');
  });

  it('the URLs of images that are not loaded yet', async () => {
    await using pages = await startPages({
      '/': html(
        `${STORY}<img alt="a" loading="lazy" src="a.png"><img alt="b" src="dot.gif" data-src="b.png">
         <img alt="c" src="dot.gif" data-srcset="c-small.png 1x, c.png 2x"><p style="height:9000px"></p>`,
        '<base href="/pictures/">',
      ),
    });
    for (const options of [IN_BROWSER, { waitFor: 0 }]) {
      const { body } = await scrape({
        url: pages.url,
        formats: ['markdown', 'images'],
        maxAge: 0,
        ...options,
      });
      for (const name of ['a', 'b', 'c']) {
        expect(body.data.markdown).toContain(`![${name}](${pages.url}/pictures/${name}.png)`);
        expect(body.data.images).toContain(`${pages.url}/pictures/${name}.png`);
      }
    }
  });

  it('nothing that we add, and its scripts see no trace of us', async () => {
    const source = `<!DOCTYPE html><html><head><title>x</title></head><body><p id="own">${STORY}</p>
<script>setTimeout(() => fetch('/report', { method: 'POST', body: JSON.stringify([
  ...Reflect.ownKeys(window).map(String), ...document.documentElement.getAttributeNames()
]) }), 900)</script></body></html>`;
    let report = '';
    await using pages = await startPages({
      '/': source,
      '/report': (request, response) => {
        request.on('data', (chunk) => {
          report += chunk;
        });
        response.end();
      },
    });
    const rawHtml = await pollUntil(async () => {
      const { body } = await scrape({ url: pages.url, waitFor: 1500, maxAge: 0, formats: ['rawHtml'] });
      return report !== '' && body.data.rawHtml;
    });
    expect(rawHtml).not.toMatch(/winnow/i);
    expect(report).toContain('"document"');
    expect(report).not.toMatch(/winnow|playwright|__pw/i);
  });
});

describe.concurrent('a page that redirects by script', () => {
  const refresh = (target: string, seconds = 0) =>
    html('<p>Moved</p>', `<meta http-equiv="Refresh" content="${seconds}; URL='${target}'">`);

  it.each([
    ['the browser', IN_BROWSER],
    ['the plain fetch', { fastMode: true, maxAge: 0 }],
  ])('by meta refresh is followed by %s', async (_name, options) => {
    await using pages = await startPages({
      '/': refresh('/second', 2),
      '/second': refresh('third', 1),
      '/third': html('<p>The third page</p>'),
    });
    const { body } = await scrape({ url: `${pages.url}/`, ...options });
    expect(body.data.markdown).toContain('The third page');
    expect(body.data.metadata).toMatchObject({ url: `${pages.url}/third`, sourceURL: `${pages.url}/` });
  });

  it.each([
    ['much later', refresh('/away', 60)],
    ['to itself', refresh('/', 1)],
    [
      'readers without scripts',
      html(`<noscript><meta http-equiv="refresh" content="0;url=/away"></noscript><p>Moved</p>`),
    ],
  ])('only %s stays', async (_name, page) => {
    await using pages = await startPages({ '/': page, '/away': html('Away') });
    for (const options of [IN_BROWSER, { fastMode: true, maxAge: 0 }]) {
      const { body } = await scrape({ url: `${pages.url}/`, ...options });
      expect(body.data.markdown).toContain('Moved');
    }
  });

  it('in a circle is read nevertheless', async () => {
    await using pages = await startPages({ '/': refresh('/other', 1), '/other': refresh('/', 1) });
    for (const options of [IN_BROWSER, { fastMode: true, maxAge: 0 }])
      expect((await scrape({ url: `${pages.url}/`, ...options })).body.data.markdown).toContain('Moved');
  });
});

describe('a file instead of a page', () => {
  const attachment = (type: string, body: string) => ({
    '/': ((_request, response) =>
      response
        .writeHead(200, { 'Content-Type': type, 'Content-Disposition': 'attachment; filename=file' })
        .end(body)) satisfies RequestListener,
  });

  it('is fetched when it can be converted', async () => {
    await using pages = await startPages(attachment('application/pdf', '%PDF-1.4 the bytes'));
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER, parsers: [] });
    expect(Buffer.from(body.data.markdown, 'base64').toString()).toBe('%PDF-1.4 the bytes');
    await using texts = await startPages(attachment('text/csv', 'a,b'));
    const answer = await scrape({ url: texts.url, maxAge: 0, formats: ['markdown', 'screenshot'] });
    expect(answer.body.data.markdown).toContain('| a | b |');
    expect(answer.body.data.warning).toMatch(/is a file to download: there is no screenshot of it/);
  });

  it('is refused with its type when it cannot be converted', async () => {
    await using pages = await startPages(attachment('application/zip', 'PK\x03\x04'));
    const { status, body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect([status, body.code]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
    expect(body.error).toContain('application/zip');
  });
});

describe.concurrent('an endless page', () => {
  it('is read as far as it was received, with a warning', async () => {
    await using pages = await startPages({
      '/': (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' });
        response.write(`<main>${STORY}`);
        const timer = setInterval(() => response.write('<p>and so on</p>'), 500);
        response.on('close', () => clearInterval(timer));
      },
    });
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect(body.data.markdown).toContain('The story');
    expect(body.data.warning).toMatch(/had not ended after 15 seconds, and was read as far as it had come/);
  });

  it('that breaks off has a warning and is not cached', async () => {
    await using pages = await startPages({
      '/short': (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 5000 });
        response.write(`<main>${STORY}`);
        setTimeout(() => response.destroy(), 100);
      },
      '/garbled': (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' });
        response.end('no gzip');
      },
    });
    const formats = ['markdown', 'changeTracking'];
    for (const path of ['/short', '/garbled']) {
      const { body } = await scrape({ url: pages.url + path, formats });
      expect(body.data.warning).toMatch(/broke off \(net::ERR_\w+\), and was read as far as it had come/);
      expect(body.data.warning).toContain('changeTracking was left out');
      expect(body.data).not.toHaveProperty('changeTracking');
    }
    await scrape({ url: `${pages.url}/short` });
    const kept = await scrape({ url: `${pages.url}/short`, minAge: 0 });
    expect(kept.body.code).toBe('SCRAPE_NO_CACHED_DATA');
  });

  it('fails with SCRAPE_CONTENT_TOO_LARGE when it is too large', async () => {
    // As a comment it arrives sooner on a busy machine than the browser stops waiting for any page.
    const chunk = 'and so on, and so on, '.repeat(50_000);
    await using pages = await startPages({
      '/': (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' });
        // `writable` stays true when the client has closed the connection, and the loop would never end.
        const more = () => !response.destroyed && response.write(chunk, () => setImmediate(more));
        response.write('<!--', more);
      },
    });
    const { status, body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect([status, body.code]).toEqual([500, 'SCRAPE_CONTENT_TOO_LARGE']);
  });
});

describe('a screenshot of the whole page', () => {
  it('contains content that appears on scrolling', async () => {
    await using pages = await startPages({
      '/': html(
        `<div style="height:4000px"></div><p id="end">End</p><script>
        new IntersectionObserver(([entry]) => entry.isIntersecting && fetch('/seen')).observe(end);
        end.id = 'end';
      </script>`.replace('<script>', '<script>const end = document.getElementById("end");'),
      ),
    });
    const shot = (fullPage: boolean) =>
      scrape({ url: pages.url, maxAge: 0, formats: [{ type: 'screenshot', fullPage }] });
    await shot(false);
    expect(pages.headersOf('/seen')).toBeUndefined();
    // A page learns what is in view when it is drawn, which a busy machine may not do before it is scrolled
    // back.
    await pollUntil(async () => {
      await shot(true);
      return pages.headersOf('/seen');
    });
  });
});

describe('a screenshot of a page that is too tall', () => {
  it('shows its upper part, with a warning', async () => {
    await using pages = await startPages({ '/': html('<div style="height:40000px"></div>') });
    const { body } = await scrape({
      url: pages.url,
      maxAge: 0,
      formats: [{ type: 'screenshot', fullPage: true }],
    });
    const png = Buffer.from(await (await fetch(body.data.screenshot)).arrayBuffer());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 16_384]);
    expect(body.data.warning).toMatch(/upper 16384 of the page's 40\d\d\d pixels/);
  });
});

describe('a screenshot with a mask that holds still', () => {
  it('leaves elements blank, shows animations at their end, and leaves the page as it was', async () => {
    const page = `<!doctype html><title>Test</title><style nonce="n">
      body { margin: 0; background: white }
      div, svg { position: absolute; top: 0; width: 100px; height: 100px }
      #ad { left: 0; background: rgb(250, 0, 0); transition: opacity 60s }
      svg { left: 100px; background: rgb(0, 250, 0) }
      #host { left: 200px }
      #growing { left: 300px; background: rgb(0, 0, 250); animation: grow 60s forwards }
      #endless { left: 500px; background: rgb(0, 250, 250); animation: grow 60s infinite }
      @keyframes grow { from { width: 10px } }</style>
      <main><p>The words stay.</p></main><div id="ad" style="color: red">Buy</div><svg></svg>
      <div id="host"></div><div id="growing"></div><div id="endless"></div>
      <script nonce="n">host.attachShadow({ mode: 'open' }).innerHTML = '<p class="ad">shadow</p>';
        const box = host.shadowRoot.firstChild; box.style.cssText = 'margin:0;height:100px;background:rgb(250, 250, 0)';
      </script>`;
    await using pages = await startPages({
      '/': (_request, response) =>
        response
          .writeHead(200, {
            'Content-Type': 'text/html',
            // A page may forbid attributes with styles.
            'Content-Security-Policy': "style-src 'nonce-n'; script-src 'nonce-n'",
          })
          .end(page),
    });
    const take = async (options: object) => {
      const formats = ['rawHtml', 'html', { type: 'screenshot', ...options }];
      const { body } = await scrape({ url: pages.url, maxAge: 0, onlyMainContent: false, formats });
      const png = openPng(Buffer.from(await (await fetch(body.data.screenshot)).arrayBuffer()))!;
      const counts: Record<string, number> = {};
      for await (const row of png.rows())
        for (let at = 0; at < row.length; at += png.channels) {
          const colour = row.subarray(at, at + 3).join(',');
          counts[colour] = (counts[colour] ?? 0) + 1;
        }
      return { data: body.data, counts };
    };
    const whole = await take({});
    expect(whole.counts).toMatchObject({ '0,250,0': 10_000, '250,250,0': expect.any(Number) });
    expect(whole.counts['0,0,250']).toBeLessThan(10_000);
    const still = await take({ still: true });
    expect(still.counts).toMatchObject({ '0,0,250': 10_000, '0,250,250': 10_000, '0,250,0': 10_000 });
    const mask = ['#ad', 'svg', '.ad', 'p:contains("words")'];
    const { data, counts } = await take({ still: true, mask });
    for (const colour of ['250,0,0', '0,250,0', '250,250,0'])
      expect(counts, colour).not.toHaveProperty([colour]);
    expect(counts).toMatchObject({ '0,0,250': 10_000 });
    expect(data.warning).toContain('does not know the selector p:contains("words")');
    expect(data.html).toBe(whole.data.html);
    expect(data.rawHtml).toBe(whole.data.rawHtml);
    expect(data.rawHtml).toContain('style="color: red"');
  });
});

describe('certificates', () => {
  it.each([
    ['the browser', { waitFor: 1 }],
    ['the plain fetch', { fastMode: true }],
  ])('are checked by %s when headers are given, unless the request says no', async (_name, engine) => {
    await using site = await startTlsSite('self-signed');
    const request = { url: site.url, maxAge: 0, ...engine };
    expect((await scrape(request)).body.data.markdown).toContain('behind TLS');
    const headers = { 'X-Any': '1' };
    expect((await scrape({ ...request, headers })).body.code).toBe('SCRAPE_SSL_ERROR');
    const own = await scrape({ ...request, headers, skipTlsVerification: true });
    expect(own.body.data.markdown).toContain('behind TLS');
  });

  it('are checked when there are actions', async () => {
    await using site = await startTlsSite('self-signed');
    const { body } = await scrape({ url: site.url, actions: [{ type: 'scrape' }] });
    expect(body.code).toBe('SCRAPE_SSL_ERROR');
  });
});

describe.concurrent('what a page sees of its visitor', () => {
  const SELF_PORTRAIT = html(
    `<p id="self"></p><script>
      self.textContent = JSON.stringify({ agent: navigator.userAgent, width: innerWidth, ratio: devicePixelRatio,
        touch: navigator.maxTouchPoints, webdriver: navigator.webdriver, languages: navigator.languages,
        locale: (1234.5).toLocaleString(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        brands: navigator.userAgentData?.brands?.map(({ brand }) => brand) });
    </script>`.replaceAll('self.', 'document.getElementById("self").'),
    '<meta name="viewport" content="width=device-width">',
  );

  async function portrait(options: Record<string, unknown>) {
    await using pages = await startPages({ '/': SELF_PORTRAIT });
    const { body } = await scrape({ url: `${pages.url}/`, ...IN_BROWSER, formats: ['rawHtml'], ...options });
    const json = /<p id="self">(.*?)<\/p>/.exec(body.data.rawHtml)?.[1] ?? '';
    return { ...JSON.parse(json), sent: pages.headersOf('/') };
  }

  it('is a desktop', async () => {
    const seen = await portrait({});
    expect(seen).toMatchObject({
      width: 1280,
      ratio: 1,
      touch: 0,
      languages: ['en-US', 'en'],
      webdriver: false,
    });
    expect(seen.brands).toContain('Chromium');
    expect(seen.sent['sec-ch-ua']).not.toMatch(/headless/i);
    expect(seen.sent['accept-language']).toBe('en-US,en;q=0.9');
    expect(seen.agent).toMatch(/X11; Linux/);
    expect(seen.sent['user-agent']).toBe(seen.agent);
    expect(seen.agent).not.toMatch(/headless/i);
  });

  it('is a phone with mobile', async () => {
    const seen = await portrait({ mobile: true });
    expect(seen).toMatchObject({ width: 412, touch: expect.toSatisfy((points: number) => points > 0) });
    expect(seen.ratio).toBeGreaterThan(1);
    expect(seen.agent).toMatch(/Android.*Mobile/);
    expect(seen.sent['user-agent']).toBe(seen.agent);
  });

  it('is a time zone of the United States by default, as the metadata say', async () => {
    expect(await portrait({})).toMatchObject({ zone: 'America/New_York' });
    expect(await portrait({ location: { languages: ['fr'] } })).toMatchObject({
      languages: ['fr'],
      zone: 'America/New_York',
    });
    await using pages = await startPages({ '/': html(STORY) });
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER });
    expect(body.data.metadata.timezone).toBe('America/New_York');
  });

  it('is the same time zone in frames of other sites', async () => {
    const zone = `<script>document.write(Intl.DateTimeFormat().resolvedOptions().timeZone)</script>`;
    await using other = await startPages({ '/': html(`<p>Inside: ${zone}</p>`) });
    await using pages = await startPages({
      '/': html(
        `<p>Outside: ${zone}</p><iframe src="${other.url.replace('127.0.0.1', 'localhost')}/"></iframe>`,
      ),
    });
    const { body } = await scrape({ url: pages.url, ...IN_BROWSER, formats: ['rawHtml'] });
    const seen = body.data.rawHtml.replaceAll(/<script>.*?<\/script>/g, '');
    expect(seen).toContain('Outside: America/New_York');
    expect(seen).toContain('Inside: America/New_York');
  });

  it('is no geolocation unless a country is requested', async () => {
    await using pages = await startPages({
      '/': html(`<p id="here">Asking</p><script>navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => {
        here.textContent = 'Position: ' + state;
      })</script>`),
    });
    expect(await markdownOf(pages.url)).not.toContain('Position: granted');
    const granted = { has: 'Position: granted' };
    expect(await readUntil(pages.url, granted, { location: { country: 'US' } })).toContain(granted.has);
  });

  it('is the requested country', async () => {
    const seen = await portrait({ location: { country: 'de' } });
    expect(seen).toMatchObject({
      languages: ['de-DE', 'de', 'en'],
      locale: '1.234,5',
      zone: 'Europe/Berlin',
    });
    expect(seen.sent['accept-language']).toBe('de-DE,de;q=0.9,en;q=0.8');
  });

  it('is the requested languages', async () => {
    const seen = await portrait({ location: { country: 'BR', languages: ['fr-CA', 'fr'] } });
    expect(seen).toMatchObject({ languages: ['fr-CA', 'fr'], zone: 'America/Sao_Paulo' });
    expect(seen.sent['accept-language']).toBe('fr-CA,fr;q=0.9');
  });

  it('is a geolocation in the country', async () => {
    await using pages = await startPages({
      '/': html(`<p id="here"></p><script>navigator.geolocation.getCurrentPosition(({ coords }) => {
        here.textContent = 'At ' + Math.round(coords.latitude) + ' and ' + Math.round(coords.longitude);
      })</script>`),
    });
    const place = { has: 'At 36 and 140' };
    expect(await readUntil(pages.url, place, { location: { country: 'JP' } })).toContain(place.has);
  });

  it('is the same languages without the browser', async () => {
    await using pages = await startPages({ '/': html(STORY) });
    await scrape({ url: pages.url, fastMode: true, maxAge: 0, location: { country: 'DE' } });
    expect(pages.headersOf('/')?.['accept-language']).toBe('de-DE,de;q=0.9,en;q=0.8');
  });

  it('is no cookie or storage of another scrape, even at the same time', async () => {
    await using pages = await startPages({
      '/': (_request, response) =>
        response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'server=1; Path=/' }).end(
          html(`<p id="found"></p><script>
            const cookies = document.cookie.split('; ').filter((cookie) => !cookie.startsWith('server='));
            found.textContent = 'Found: ' + JSON.stringify([cookies.join(), localStorage.length, sessionStorage.length]);
            document.cookie = 'script=1; max-age=1000';
            localStorage.setItem('a', 'b');
            sessionStorage.setItem('a', 'b');
            if (!location.search) location.replace('/?again');
          </script>`),
        ),
    });
    const url = `${pages.url}/?first`;
    const found = [await markdownOf(url), ...(await Promise.all([markdownOf(url), markdownOf(url)]))];
    for (const each of found) expect(each.replaceAll('\\', '')).toContain('Found: ["",0,0]');
    for (const { headers } of pages.requests) expect(headers).not.toHaveProperty('cookie');
    // Within one scrape they last, as in any browser.
    expect((await markdownOf(`${pages.url}/`)).replaceAll('\\', '')).toContain('Found: ["script=1",1,1]');
  });
});
