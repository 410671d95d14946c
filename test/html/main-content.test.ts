import { describe, expect, it, vi } from 'vitest';
import { surroundingsOf } from '../../src/html/main-content.ts';
import { parseHtml } from '../../src/html/parse.ts';
import type { Snapshot } from '../../src/snapshot.ts';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const paragraphs = (...about: string[]) => about.map(paragraph).join('');
const ARTICLE = '<meta property="article:published_time" content="2026-01-01">';

/** What the filter leaves of a page, one block per line. */
const left = (html: string, url = 'https://site.test/dir/page', changes: Partial<Snapshot> = {}) =>
  contentOf(html, {}, { url, ...changes }).markdown.split(/\n+/);

describe('an article', () => {
  const body = paragraphs('one', 'two', 'three', 'four');
  const lines = ['one', 'two', 'three', 'four'].map(sentence);
  const page = (inside: string, outside = '') =>
    left(`${ARTICLE}${outside}<main><h1>Title</h1>${inside}</main>`);

  it('keeps its title, its text and its headings', () => {
    expect(page(`${body}<h2>More</h2>${paragraph('five')}`)).toEqual([
      ...['# Title', ...lines, '## More', sentence('five')],
    ]);
  });

  it.each([
    ['comments', `<section id="comments">${paragraphs('a', 'b', 'c', 'd', 'e', 'f')}</section>`],
    ['related pages by name', `<div class="related-posts"><h3>Others</h3>${paragraph('other')}</div>`],
    ['related pages by heading', `<div><h3>You may also like</h3><div>${paragraph('other')}</div></div>`],
    ['a flat section by heading', `<h3>About the author</h3>${paragraph('her')}`],
    ['sharing', '<div class="social-share"><span>Share it</span></div>'],
    ['the byline', '<div class="byline">By Jane Doe</div>'],
    ['captions', '<figure><figcaption>A picture of it</figcaption></figure>'],
    ['lists of links', '<div><a href="/1">First other page</a> <a href="/2">Second other page</a></div>'],
    ['advertising', '<div class="ad-slot">Buy it</div>'],
    ['what is hidden', '<div style="display: none">Hidden</div>'],
    ['buttons', '<button>Click</button>'],
  ])('has %s beside it', (_name, html) => {
    expect(page(body + html)).toEqual(['# Title', ...lines]);
  });

  it.each([
    ['a quoted post', '<blockquote class="twitter-tweet"><p>Quoted</p></blockquote>', '> Quoted'],
    ['code', '<pre>let a;</pre>', 'let a;'],
    ['a section named after its heading', '<section id="how-to-share-your-work"><p>So.</p></section>', 'So.'],
    ['what folds', '<div class="accordion" hidden><p>Folded</p></div>', 'Folded'],
  ])('keeps %s', (_name, html, expected) => {
    expect(page(body + html)).toContain(expected);
  });

  it('keeps the title when it only looks like an article', () => {
    expect(left(`<h1>Title</h1><div>${body}</div>`)).toEqual(['# Title', ...lines]);
  });

  it('believes no word that is all over the page', () => {
    const widgets = ['one', 'two'].map((about) => `<div class="widget">${paragraph(about)}</div>`).join('');
    expect(left(`${ARTICLE}<article>${widgets}</article>`)).toEqual([sentence('one'), sentence('two')]);
  });

  it('is the one with the title where others follow', () => {
    const others = ['x', 'y', 'z'].map((about) => `<article>${paragraphs(about, about)}</article>`).join('');
    const html = `${ARTICLE}<div><article><h1>Title</h1>${body}</article>${others}</div>`;
    expect(left(html)).toEqual(['# Title', ...lines]);
  });

  it('is found without any mark, where its paragraphs are', () => {
    const html = `<div><div>Site</div><div><div>${body}</div><div>Aside</div></div><div>Imprint</div></div>`;
    expect(left(html)).toEqual(lines);
  });
});

describe('other pages', () => {
  it('documentation keeps code and tables and loses its tree of pages', () => {
    const tree = '<div class="sidebar"><a href="/a">A</a><a href="/b">B</a></div>';
    const html = `${tree}<div role="main"><h1>API</h1>${paragraph('it')}<pre>f()</pre><table><tr><td>x<td>y</table></div>`;
    const lines = left(html, 'https://site.test/docs/api');
    expect(lines).toEqual(expect.arrayContaining(['# API', sentence('it'), 'f()']));
    expect(lines.join('\n')).toContain('| x | y |');
    expect(lines.join('\n')).not.toContain('[A]');
  });

  it('a thread keeps all posts without what is known about their authors', () => {
    const post = (about: string) =>
      `<div class="comment"><div class="postprofile">Joined 2020</div>${paragraph(about)}<div class="signature">Me</div></div>`;
    const html = `<h1>Question</h1><div>${['a', 'b', 'c'].map(post).join('')}</div><h3>Similar threads</h3><p>Other</p>`;
    expect(left(html, 'https://site.test/threads/1')).toEqual([
      ...['# Question', sentence('a'), sentence('b'), sentence('c')],
    ]);
  });

  it('a listing keeps title and text of each card', () => {
    const card = (name: string) => `<li><a href="/${name}"><h3>Thing ${name}</h3></a><p>$1${name}</p></li>`;
    const html = `<div class="filters"><a href="?red">Red</a></div><ul>${['1', '2', '3'].map(card).join('')}</ul>`;
    expect(left(html, 'https://site.test/collections/things')).toEqual([
      ...['- ### [Thing 1](https://site.test/1)', '  $11'],
      ...['- ### [Thing 2](https://site.test/2)', '  $12'],
      ...['- ### [Thing 3](https://site.test/3)', '  $13'],
    ]);
  });

  it('is a listing when it is mostly links and claims nothing', () => {
    const links = Array.from(
      { length: 20 },
      (_, index) => `<section><a href="/${index}">Story number ${index}</a></section>`,
    );
    expect(left(`<div>${links.join('')}</div>`)).toHaveLength(20);
  });

  it('is a listing when it is mostly links, even below an address of articles', () => {
    const links = Array.from(
      { length: 20 },
      (_, index) => `<div><a href="/${index}">Story number ${index}</a></div>`,
    );
    expect(left(`<main>${links.join('')}</main>`, 'https://site.test/news/technology')).toHaveLength(20);
  });

  it('is a thread when there is nothing to it but replies', () => {
    const replies = Array.from({ length: 30 }, (_, index) => paragraph(`reply ${index}`)).join('');
    const html = `${ARTICLE}<a href="https://other.test/">Shared</a><div class="comments">${replies}</div>`;
    expect(left(html)).toContain(sentence('reply 29'));
  });

  it('a product keeps title, price, description and data, but no reviews and no other products', () => {
    const html = `<meta property="og:type" content="product"><main><div>Home / Things</div><h1>Thing</h1><p>$12</p>
      ${paragraph('it')}<table><tr><th>Weight<td>1 kg</table>
      <div class="reviews">${paragraphs('liking it', 'hating it')}</div>
      <div><h2>Customers also bought</h2><p>Other thing</p></div></main>`;
    expect(left(html)).toEqual([
      ...[
        '# Thing',
        '$12',
        sentence('it'),
        expect.stringContaining('Weight'),
        expect.stringContaining('---'),
      ],
    ]);
  });

  it('a page of sections keeps them all', () => {
    const section = (about: string) =>
      `<section><h2>About ${about}</h2><div>${paragraph(about)}</div></section>`;
    const html = `<header>Site</header><h1>We</h1>${['a', 'b', 'c'].map(section).join('')}<footer>Imprint</footer>`;
    expect(left(html, 'https://site.test/')).toEqual([
      ...['# We', '## About a', sentence('a'), '## About b', sentence('b'), '## About c', sentence('c')],
    ]);
  });

  it('a page in noscript is there for those that run none', () => {
    const html = `<p>Loading</p><noscript><div>${paragraphs('a', 'b', 'c', 'd', 'e')}</div></noscript>`;
    expect(left(html, '', { engine: 'http' })).toContain(sentence('a'));
    expect(left(html, '', { engine: 'browser' })).toEqual(['Loading']);
  });
});

describe('what it costs', () => {
  /** Looks into the maps and sets that the filter keeps its knowledge in: all its work goes through them. */
  function workFor(html: string): number {
    const page = parseHtml(html);
    const spies = [vi.spyOn(Map.prototype, 'get'), vi.spyOn(Set.prototype, 'has')];
    try {
      surroundingsOf(page, { url: 'https://site.test/blog/x', engine: 'http' });
      return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  it.each([
    ['deep nesting', (count: number) => '<div class="sidebar"><h2>Comments</h2>'.repeat(count)],
    ['siblings', (count: number) => paragraph('x').repeat(count)],
    ['headings of other sections', (count: number) => '<h2>Related</h2>'.repeat(count)],
    ['nested sections', (count: number) => '<div><h2>Related</h2><h3>Comments</h3></div>'.repeat(count)],
    ['articles', (count: number) => `<article><h1>T</h1>${paragraph('x')}</article>`.repeat(count)],
    ['rows', (count: number) => `<table>${'<tr><td>a<td>b'.repeat(count)}</table>`],
    ['names', (count: number) => `<p class="${'nav-menu '.repeat(count)}">x</p>`],
    [
      'attributes',
      (count: number) => `<p ${Array.from({ length: count }, (_, at) => `a${at}=1`).join(' ')}>x</p>`,
    ],
  ])('grows no faster than %s', (_name, html) => {
    const small = workFor(html(2000));
    expect(workFor(html(8000))).toBeLessThan(small * 4.5 + 100);
  });
});
