import { describe, expect, it } from 'vitest';
import { needsBrowser } from '../../../src/fetch/engines/page-checks/needs-browser.ts';
import { appPage } from '../../site/app.ts';
import { articlePage } from '../../site/article.ts';
import { linkPage } from '../../site/links.ts';
import { SCRIPT_SHAPES, STATIC_SHAPES, shapePage } from '../../site/site.ts';

const PAGES = Array.from({ length: 200 }, (_, n) => n);

/** Shapes by the share of their pages that were judged wrongly, those without such pages left out. */
function misjudged(shapes: Record<string, (n: number) => string>, isStatic: boolean) {
  const shares = Object.entries(shapes).map(([name, page]) => {
    const wrong = PAGES.filter((n) => needsBrowser(page(n)) === isStatic).length;
    return [name, wrong / PAGES.length] as const;
  });
  const total = shares.reduce((sum, [, share]) => sum + share, 0) / shares.length;
  return { total, worst: shares.filter(([, share]) => share > 0) };
}

const made = (shapes: Record<string, Parameters<typeof shapePage>[0]>) =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, (n: number) => shapePage(shape, n)]),
  );

describe('the generated site', () => {
  it('has at most one of a hundred script pages mistaken for static', () => {
    const { total, worst } = misjudged({ ...made(SCRIPT_SHAPES), app: (n) => appPage(n) }, false);
    expect(total, JSON.stringify(worst)).toBeLessThanOrEqual(0.01);
    for (const [name, share] of worst) expect(share, name).toBeLessThan(0.1);
  });

  it('has at least 95 of a hundred static pages read without a browser', () => {
    const shapes = {
      ...made(STATIC_SHAPES),
      article: (n: number) => articlePage(n + 1, 'http://site.test').toString(),
      links: (n: number) => linkPage(n, 5_000),
    };
    const { total, worst } = misjudged(shapes, true);
    expect(total, JSON.stringify(worst)).toBeLessThanOrEqual(0.05);
  });
});

const PROSE = 'The ferry follows the coast for an hour before it reaches the island. ';
const page = (body: string) =>
  `<!doctype html><html><head><title>T</title></head><body>${body}</body></html>`;
const APP = '<script src="/app.js"></script>';

describe('a page is static', () => {
  it.each([
    ['without scripts, however short', page('<p>Hi</p>')],
    ['with nothing at all', ''],
    [
      'with scripts that are data',
      page(
        '<p>Hi</p><script type="application/ld+json">{}</script><script type="text/template"><p></p></script>',
      ),
    ],
    [
      'with a script that only sets its look',
      page('<p>Hi</p><script>document.documentElement.className = "js"</script>'),
    ],
    ['with a script tag in a comment', page('<p>Hi</p><!-- <script src="/app.js"></script> -->')],
    ['with enough text', page(`<p>${PROSE.repeat(6)}</p>${APP}`)],
    [
      'with braces in its code',
      page(`<div x-cloak><p>${PROSE.repeat(8)}</p><pre>{{ item }}</pre></div>${APP}`),
    ],
    ['with a void element of the name', page(`<input id="app"><p>${PROSE.repeat(6)}</p>${APP}`)],
    [
      'with long text ahead of much else',
      page(`<p>${PROSE.repeat(20)}</p>${`<div>${APP}</div>`.repeat(1_000)}`),
    ],
  ])('%s', (_name, html) => {
    expect(needsBrowser(html)).toBe(false);
  });
});

describe('a page is a shell', () => {
  it.each([
    ['with an empty mount behind much text', page(`<p>${PROSE.repeat(30)}</p><div id="root"></div>${APP}`)],
    ['with an empty mount far down', page(`<p>${PROSE.repeat(300)}</p><div id="__next"></div>${APP}`)],
    ['with a mount that is never closed', page(`<p>${PROSE.repeat(6)}</p><div id="app">${APP}`)],
    [
      'with nested elements of the same name in its mount',
      page(`<div id="app"><div><div></div></div></div><p>${PROSE.repeat(9)}</p>${APP}`),
    ],
    ['with an empty main', page(`<main></main><p>${PROSE.repeat(9)}</p>${APP}`)],
    ['with text in its header only', page(`<header><p>${PROSE.repeat(9)}</p></header><div></div>${APP}`)],
    [
      'with an analytics script that is a whole program',
      page(`<p>Hi</p><script>gtag('js');${'draw();'.repeat(400)}</script>`),
    ],
    [
      'with a script of its own in its head',
      '<html><head><script type="module">import "/app.js"</script></head><body><p>Hi</p></body></html>',
    ],
    [
      'with a part that the server left open',
      page(
        `<div id="root"><div data-reactroot><!--$?--><p>${PROSE.repeat(4)}</p><!--/$--></div></div>${APP}`,
      ),
    ],
    ['in capitals', page(`<P>Hi</P><DIV ID="ROOT"></DIV><SCRIPT SRC="/APP.JS"></SCRIPT>`)],
    [
      'with its text in a shadow tree, which the browser puts in its place',
      page(
        `<main><x-article><template shadowrootmode="open"><p>${PROSE.repeat(9)}</p></template></x-article></main>${APP}`,
      ),
    ],
    [
      'with a placeholder that the server filled in',
      page(
        `<div id="root" data-reactroot><p>Please wait while we get your personal offers ready for you.</p></div>${APP}`,
      ),
    ],
    ['with its text in a frame', page('<h1>Manual</h1><iframe src="/manual"></iframe>')],
  ])('%s', (_name, html) => {
    expect(needsBrowser(html)).toBe(true);
  });
});

it('letters beyond ASCII do not change whether a page is found to have a shadow tree', () => {
  const template = (attributes: string) =>
    page(`<p>${PROSE.repeat(9)}</p><template ${attributes}></template>${APP}`);
  const shadowTree = template(`title="${'漢'.repeat(150)}" shadowrootmode="open"`);
  const other = template('title="voilàshadowrootmode"');
  for (const html of [shadowTree, other]) expect(needsBrowser(Buffer.from(html))).toBe(html === shadowTree);
});

it('any page is judged in bounded time', () => {
  const hostile = [
    '<',
    '<!--',
    '<div id="app">',
    '<script>',
    '<noscript>without ',
    '<div class="a',
    '<x-y>',
    '</div>',
    '<div id=app></div>',
    '<pre>{{',
    '<header>',
    '<a ',
  ];
  for (const piece of hostile) {
    const html = piece.repeat(3_000_000 / piece.length);
    expect(typeof needsBrowser(`${html}<script src="/app.js"></script>`), piece).toBe('boolean');
  }
});
