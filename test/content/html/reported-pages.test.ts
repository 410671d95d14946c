import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

/**
 * Kinds of pages of which parts were lost, each as it was reported and in two other forms. A kind is the same whatever the
 * URL of the page is. Two more kinds are in the tests of character sets and of the browser: UTF-8 under another declaration,
 * and forms with controls named after properties.
 */
const URLS = [
  'https://a.test/tide',
  'https://b.test/docs/tide.html',
  'https://c.test/blog/tide',
  'https://d.test/wiki/tide',
];

const sentences = (about: string) =>
  ['wheel', 'stone', 'sack']
    .map(
      (part) =>
        `The ${part} of ${about} turns in the stream, and the clerk writes its weight into the long ledger.`,
    )
    .join(' ');
const paragraph = (about: string) => `<p>${sentences(about)}</p>`;
const paragraphs = (...about: string[]) => about.map(paragraph).join('');

const HEADER =
  '<header><nav><a href="/a">Home</a> <a href="/b">Docs</a> <a href="/c">About</a></nav></header>';
const FOOTER = '<footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>';
const page = (title: string, content: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${HEADER}${content}${FOOTER}</body></html>`;

/** Checks that the markdown has all parts, in their order, and nothing of the header and the footer. */
function expectParts(html: string, parts: string[]): void {
  for (const url of URLS) {
    const { markdown } = contentOf(html, {}, { url });
    let from = 0;
    for (const part of parts) {
      const at = markdown.indexOf(part, from);
      if (at < 0) expect.fail(`${url} lacks ${JSON.stringify(part)} after character ${from}:\n${markdown}`);
      from = at + part.length;
    }
    expect(markdown).not.toMatch(/Imprint|About\]/);
  }
}

describe('text that screen readers skip', () => {
  it.each([
    [
      'in a sentence, a price, a rating and a table',
      `<p>Word <span aria-hidden="true">visible</span> end.</p>
      <p>Price: <span class="a-price"><span class="a-offscreen">$19.99</span><span aria-hidden="true"><span>$</span><span>19<span>.</span></span><span>99</span></span></span></p>
      <p>Rating <span aria-hidden="true">4.5 / 5</span><span class="sr-only">4.5 out of five stars</span></p>
      <table><tr><th>Day</th><th aria-hidden="true">Tide</th></tr><tr><td>Mon</td><td aria-hidden="true">3.2 m</td></tr></table>
      <p aria-hidden="true">A whole paragraph that readers see.</p>`,
      [
        'Word visible end.',
        'Price: $19.99',
        'Rating 4.5 / 5',
        '| Day | Tide |',
        '| Mon | 3.2 m |',
        'A whole paragraph that readers see.',
      ],
    ],
    [
      'in figures of a report',
      `<ul><li><strong aria-hidden="true">12 m</strong><span class="visually-hidden">Twelve metres</span> at noon</li>
      <li><strong aria-hidden="true">3 m</strong><span class="visually-hidden">Three metres</span> at night</li></ul>`,
      ['- **12 m** at noon', '- **3 m** at night'],
    ],
    [
      'in a heading whose letters move',
      '<h2 aria-label="High"><span aria-hidden="true">H</span><span aria-hidden="true">i</span><span aria-hidden="true">gh</span></h2><p>Water</p>',
      ['## High', 'Water'],
    ],
  ])('stays once: %s', (_name, html, parts) => {
    expectParts(page('Tide', `<main><h1>Tide</h1>${paragraphs('the mill')}${html}</main>`), parts);
  });
});

describe('headings and comments in code', () => {
  const code = (lines: string[]) =>
    `<pre class="prism-code language-js"><code>${lines.map((line) => `<div class="token-line">${line}<br></div>`).join('')}</code></pre>`;

  it.each([
    [
      'of Docusaurus',
      `<main><article><div class="markdown"><header><h1>Parse</h1></header>${paragraph('one')}
      <h2 class="anchor anchorTargetStickyNavbar_Vzrq" id="usage">Usage<a href="#usage" class="hash-link">\u200B</a></h2>${paragraph('two')}
      <div class="codeBlockContainer_Ckt0 language-js">${code(['<span class="token comment">// first</span>', '<span class="token function">open</span>()'])}<button>Copy</button></div>
      <h3 class="anchor anchorTargetStickyNavbar_Vzrq" id="options">Options</h3>${paragraph('three')}</div></article></main>`,
      ['# Parse', '## Usage', '```js\n// first\nopen()\n```', '### Options'],
    ],
    [
      'whose classes are names of boilerplate',
      `<main><h1>Parse</h1>${paragraph('one')}<h2 class="share-heading sidebar-anchor">Usage</h2>${paragraph('two')}
      <pre><span class="line"><span class="hljs-comment related">// first</span></span>\n<span class="line">open()</span></pre></main>`,
      ['# Parse', '## Usage', '// first\nopen()'],
    ],
    [
      'whose ids are names of boilerplate',
      `<div class="content"><h1>Parse</h1>${paragraph('one')}<h2 id="comments">Comments</h2>${paragraph('two')}
      <pre><code><span class="c1 comment"># first</span>\nopen()</code></pre><h2 id="menu">Menu</h2>${paragraph('three')}</div>`,
      ['# Parse', '## Comments', '# first\nopen()', '## Menu', sentences('three')],
    ],
  ])('stay: %s', (_name, html, parts) => {
    expectParts(page('Parse', html), parts);
  });
});

describe('boxes inside the text', () => {
  const box =
    'The model has seven layers by which engineers speak of networks, from the wire to the program.';

  it.each([
    [
      'of DocBook',
      `<div class="sidebar"><p class="title"><b>CULTURE</b> Layers</p><div class="para">${box}</div></div>`,
    ],
    ['marked as aside', `<aside class="sidebar"><h3>Layers</h3><p>${box}</p></aside>`],
    ['named as banners', `<div class="banner info"><strong>Layers</strong><p>${box}</p></div>`],
  ])('stay where they are: %s', (_name, html) => {
    const text = `<div class="section"><h2 class="title">Filters</h2>${paragraph('one')}${html}${paragraph('two')}${html.replace(box, `More: ${box}`)}${paragraph('three')}</div>`;
    expectParts(page('Filters', text), [
      'Filters',
      sentences('one'),
      'Layers',
      box,
      sentences('two'),
      `More: ${box}`,
      sentences('three'),
    ]);
  });
});

describe('links in the flow of the text', () => {
  it.each([
    [
      'paragraphs',
      '<p><a href="/t/1">Spring</a> <a href="/t/2">Summer</a></p>',
      '<p><a href="/t/3">The guide for sailors</a></p>',
    ],
    [
      'a list',
      '<ul><li><a href="/t/1">Spring</a></li><li><a href="/t/2">Summer</a></li></ul>',
      '<p><a href="/t/3">The guide for sailors</a></p>',
    ],
    [
      'an ordered list and a paragraph below a heading',
      '<ol><li><a href="/t/1">Spring</a></li><li><a href="/t/2">Summer</a></li></ol>',
      '<h2>For sailors</h2><p><a href="/t/3">The guide for sailors</a></p>',
    ],
  ])('stay as %s', (_name, links, link) => {
    const text = `<main><article><h1>Tide tables</h1>${paragraphs('one', 'two')}${links}${paragraph('three')}${link}${paragraph('four')}</article></main>`;
    const html = page('Tide tables', text);
    expectParts(html, [
      sentences('two'),
      'Spring',
      'Summer',
      sentences('three'),
      'The guide for sailors',
      sentences('four'),
    ]);
    for (const url of URLS) {
      const { origin } = new URL(url);
      expect(contentOf(html, {}, { url }).links).toEqual(
        ['/t/1', '/t/2', '/t/3'].map((path) => origin + path),
      );
    }
  });
});

describe('paragraphs beside the largest block', () => {
  const first = 'The server can also encrypt what is sent between it and its clients, for more security.';
  const last = 'If a client asks for it, the server goes on without encryption, as the next chapter says.';
  const long = paragraphs('one', 'two', 'three', 'four');

  it.each([
    [
      'of a section',
      `<div class="sect1"><h2>Encryption</h2><p>${first}</p><div class="sect2"><h3>Set-up</h3>${long}</div><p>${last}</p></div>`,
    ],
    [
      'of a page with main',
      `<main><h1>Encryption</h1><p>${first}</p><div><h3>Set-up</h3>${long}</div><p>${last}</p></main>`,
    ],
    [
      'around a table',
      `<div class="text"><h2>Encryption</h2><p>${first}</p><div class="table-responsive"><h3>Set-up</h3>${long}</div><p>${last}</p></div>`,
    ],
  ])('stay: %s', (_name, html) => {
    expectParts(page('Encryption', html), [
      'Encryption',
      first,
      'Set-up',
      sentences('one'),
      sentences('four'),
      last,
    ]);
  });
});

describe('posts', () => {
  const text = paragraphs('one', 'two', 'three');
  const more =
    '<h2>Related projects</h2><p>Three mills wrote down the same flood, and their ledgers differ.</p><ul><li><a href="/u">Upper mill</a>: the ledger of spring</li><li><a href="/l">Lower mill</a>: the ledger of harvest</li></ul>';

  it.each([
    [
      'of Hexo',
      `<section id="main"><article class="h-entry article-type-post"><div class="article-meta"><time>2024-05-04</time></div>
      <div class="article-inner"><header class="article-header"><h1 class="article-title">The big flood</h1></header><div class="e-content article-entry">${text}${more}</div></div></article></section>`,
    ],
    [
      'of Docusaurus',
      `<main class="col"><article itemscope><header><h1 itemprop="headline">The big flood</h1><div class="margin-vert--md"><time>May 4, 2024</time> · 9 min read</div></header><div class="markdown" itemprop="articleBody">${text}${more}</div></article></main>`,
    ],
    [
      'of WordPress',
      `<div id="content"><article class="post hentry"><header class="entry-header"><h1 class="entry-title">The big flood</h1><div class="entry-meta">Posted on May 4, 2024 by Ada</div></header><div class="entry-content">${text}${more}</div></article></div>`,
    ],
  ])('keep their title and what is related to them: %s', (_name, html) => {
    expectParts(page('The big flood | Mill works', html), [
      '# The big flood',
      sentences('one'),
      sentences('three'),
      '## Related projects',
      'their ledgers differ',
      'Upper mill',
      'the ledger of harvest',
    ]);
  });
});

describe('a title that is a heading of boilerplate elsewhere', () => {
  const NAMES = ['summary', 'features', 'modules', 'deprecated'];

  it.each(["What's new in Mill 3.9", 'Comments', 'Related work'])('stays with all sections: %s', (title) => {
    const sections = NAMES.map(
      (name) => `<section id="${name}"><h2>The ${name}</h2>${paragraphs(name, `more of ${name}`)}</section>`,
    );
    const html = page(
      title,
      `<div class="body" role="main"><section><h1>${title}</h1>${sections.join('')}</section></div>`,
    );
    expectParts(html, [
      title,
      ...NAMES.flatMap((name) => [`The ${name}`, sentences(name), sentences(`more of ${name}`)]),
    ]);
  });
});

describe('pictures without a source of their own', () => {
  it.each([
    [
      'of picture, a background and AMP',
      `<picture><source srcset="/a.avif 1x, /a2.avif 2x"><source data-srcset="/b.webp 400w, /c.webp 800w"><img alt="One"></picture>
      <div style="background-image:url('/d.jpg')" role="img" aria-label="Two"></div><amp-img src="/e.jpg" alt="Three" width="1" height="1"></amp-img>`,
      ['![One](https://a.test/c.webp)', '![Two](https://a.test/d.jpg)', '![Three](https://a.test/e.jpg)'],
    ],
    [
      'of picture around a placeholder',
      '<figure><picture><source data-srcset="/a.webp 2x"><img alt="One" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></picture><figcaption>Caption</figcaption></figure>',
      ['![One](https://a.test/a.webp)', 'Caption'],
    ],
    [
      'of AMP for several screens',
      '<amp-img alt="One" layout="responsive" width="3" height="2" srcset="/a.jpg 320w, /b.jpg 960w"></amp-img><amp-anim src="/c.gif" alt="Two" width="40" height="40"></amp-anim>',
      ['![One](https://a.test/b.jpg)', '![Two](https://a.test/c.gif)'],
    ],
  ])('stay with their texts: %s', (_name, pictures, parts) => {
    const html = page(
      'Pictures',
      `<main><h1>Pictures</h1>${paragraph('one')}${pictures}${paragraph('two')}</main>`,
    );
    const { markdown, images } = contentOf(html, {}, { url: URLS[0] });
    for (const part of parts) expect(markdown).toContain(part);
    const urls = parts.flatMap((part) => /\((.*)\)/.exec(part)?.[1] ?? []);
    expect(images).toEqual(expect.arrayContaining(urls));
  });
});
