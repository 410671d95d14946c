import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const repeat = (count: number, one: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => one(nth)).join('');
const NAV = '<nav><a href="/a">A</a> <a href="/b">B</a></nav>';

/** Pages that declare nothing: what they are made of tells their type. */
const PAGES = {
  'definitions of functions': {
    html: `${NAV}<main><h1>open</h1>${paragraph('it')}<dl>${repeat(
      4,
      (nth) => `<dt id="open.${nth}"><code>open${nth}(path)</code></dt><dd>${paragraph(`it ${nth}`)}</dd>`,
    )}</dl><h2>Related</h2><p><a href="/close">close</a></p>${paragraph('it 1')}</main>`,
    // Documentation repeats text on purpose.
    kept: [sentence('it 1'), 'open3(path)'],
    lost: [],
  },
  'an outline with permalinks, and code': {
    html: `${NAV}<main><h1>Guide</h1>${paragraph('it')}${repeat(
      4,
      (nth) =>
        `<h2 id="p${nth}">Part ${nth} <a href="#p${nth}">#</a></h2>${paragraph(`part ${nth}`)}<pre>run ${nth}</pre>`,
    )}<h2>Comments</h2><p>Set them.</p><div><a href="/edit">Edit this page on GitHub</a></div></main>`,
    kept: ['## Comments', 'Set them.', 'run 3'],
    lost: ['Edit this page'],
  },
  'a price with a button to buy': {
    html: `${NAV}<main><h1>Thing</h1><p>$12.50</p><button>Add to cart</button>${paragraph('it')}${paragraph('its use')}
      <div><h2>Frequently bought together</h2><p>Other</p></div></main>`,
    kept: ['$12.50', sentence('its use')],
    lost: ['Frequently bought', 'Other'],
  },
  'cards of other pages': {
    html: `${NAV}<main><h1>Stories</h1><p>What we wrote.</p>${repeat(
      10,
      (nth) =>
        `<article><h2><a href="/${nth}">The story of number ${nth} and what came of it</a></h2><p>In short ${nth}</p></article>`,
    )}</main>`,
    kept: ['What we wrote.', 'number 0', 'In short 9'],
    lost: [],
  },
  'offers with prices': {
    html: `${NAV}<main><h1>Things</h1><div>${repeat(
      24,
      (nth) => `<div><a href="/${nth}">Thing number ${nth}</a><span>$${nth}.99</span></div>`,
    )}</div><div><h2>Popular searches</h2><p>Stones</p></div></main>`,
    kept: ['Thing number 0', '$23.99'],
    lost: ['Popular searches', 'Stones'],
  },
  'posts with authors and dates': {
    html: `${NAV}<h1>Question</h1>${repeat(
      4,
      (nth) =>
        `<div class="p"><a href="/u/u${nth}">u${nth}</a> <time>2024-03-0${nth + 1}</time><p>${sentence(`it ${nth}`)}</p></div>`,
    )}<p>Who is online</p>`,
    kept: ['u3', sentence('it 3')],
    lost: ['Who is online'],
  },
};

const URLS = [
  'https://example.net/x',
  'https://docs.example.net/docs/x',
  'https://forum.example.net/forum/topics/1',
  'https://example.net/p/x',
  'https://example.net/collections/x',
  'https://example.net/blog/2024/01/x',
  'https://example.net/',
];
/** The markdown of a page without the hosts of its links. */
const markdownAt = (url: string, html: string) =>
  contentOf(html, {}, { url }).markdown.replaceAll(new URL(url).origin, '');

describe('the type of a page', () => {
  it.each(Object.entries(PAGES))('is told by %s', (_name, { html, kept, lost }) => {
    const { markdown } = contentOf(html);
    for (const text of kept) expect(markdown).toContain(text);
    for (const text of lost) expect(markdown).not.toContain(text);
  });

  it.each(Object.entries(PAGES))('is the same at any URL: %s', (_name, { html }) => {
    const [first, ...others] = URLS.map((url) => markdownAt(url, html));
    for (const other of others) expect(other).toBe(first);
  });

  it.each(Object.entries(PAGES))('is no other because of a generator or a class: %s', (_name, { html }) => {
    const plain = contentOf(html).markdown;
    for (const names of [
      '<meta name="generator" content="Sphinx 8">',
      '<body class="page-id-12">',
      '<body class="archive category">',
    ])
      expect(contentOf(names + html).markdown).toBe(plain);
  });
});
