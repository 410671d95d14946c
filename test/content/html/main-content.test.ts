import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { countWork } from './main-content-work.ts';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const paragraphs = (...about: string[]) => about.map(paragraph).join('');
/** What pages declare to be. */
const DOCS = '<script type="application/ld+json">{"@type":"TechArticle"}</script>';
const THREAD = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';
const LISTING = '<meta property="og:type" content="product.group">';
const ARTICLE = '<meta property="article:published_time" content="2026-01-01">';

/** The blocks that the filter keeps of a page, one per line. */
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
    [
      'comments',
      `<section id="comments">${paragraphs('a', 'b', 'c', 'd', 'e', 'f')}<i>2 days ago</i> <b>Reply</b></section>`,
    ],
    ['related pages by name', `<div class="related-posts"><h3>Others</h3>${paragraph('other')}</div>`],
    ['related pages by heading', `<div><h3>You may also like</h3><div>${paragraph('other')}</div></div>`],
    ['a flat section by heading', '<h3>About the author</h3><div><a href="/jane">Jane</a> writes</div>'],
    ['who has reviewed it', `<div><h4>About the reviewer</h4>${paragraph('him')}</div>`],
    ['sharing', '<div class="social-share"><span>Share it</span></div>'],
    ['the byline', '<div class="byline">By Jane Doe</div>'],
    ['a caption without a picture', '<figure><figcaption>A picture of it</figcaption></figure>'],
    ['a caption by name without a picture', '<div><p class="caption">A picture of it</p></div>'],
    ['who made a picture', '<div><p class="photo-credit">By the agency</p></div>'],
    ['the label of an advertisement', '<p>ADVERTISEMENT</p>'],
    ['who else worked on it', '<p>Reporting by Jane Doe; editing by John Doe</p>'],
    ['more of the same', '<h3>More Great Site Stories</h3><ul><li><a href="/1">Other story</a></li></ul>'],
    ['a link to another article', '<div>Also read: <a href="/1">Other story</a></div>'],
    ['a link to one in Spanish', '<p><strong>Lee también:</strong> <a href="/1">Otra</a></p>'],
    ['links below a label', '<p>Explore further</p><div><a href="/1">Other story</a></div>'],
    [
      'a list below a label',
      '<div>More Great Site Stories</div><ul><li>The <a href="/1">other</a></li></ul>',
    ],
    [
      'what it is listed under',
      '<p>Tags <a rel="tag" href="/1">One subject</a>, <a rel="tag" href="/2">two</a></p>',
    ],
    ['who contributed', '<p>Jane Doe contributed to this report.</p>'],
    ['a wire service', '<p>More AP sports: https://site.test/sports</p>'],
    ['a question to readers', '<p><em>Like this story? Share it with a friend!</em></p>'],
    ['a label with its script', '<center><span>Advert</span><script>show("it")</script></center>'],
    ['a call to follow', '<p>Follow <a href="/jane">Jane Doe</a> on the network of your choice.</p>'],
    ['a call to install', '<p><a href="/app"><b>CLICK HERE TO GET THE NEWS APP</b></a></p>'],
    ['a call to install in other words', '<p><a href="/app">GET NEWS ON THE GO BY CLICKING HERE</a></p>'],
    ['a label with links', '<p><b>DON\'T MISS</b></p><p><a href="/1">Another story of the day</a></p>'],
    [
      'hidden data',
      `<div itemscope style="display: none"><p itemprop="headline">Data</p><p>${sentence('x').repeat(6)}</p></div>`,
    ],
    ['lists of links', '<div><a href="/1">First other page</a> <a href="/2">Second other page</a></div>'],
    ['advertising', '<div class="ad-slot">Buy it</div>'],
    ['what is hidden', '<div style="display: none">Hidden</div>'],
    ['what its classes hide', '<div class="d-none">Hidden</div>'],
    ['what is for small screens', '<div class="md:hidden">Small</div>'],
    ['what is for paper', '<div class="print-header"><span>https://site.test/</span></div>'],
    ['what is closed', '<div aria-hidden="true">Closed</div>'],
    ['buttons', '<button>Click</button>'],
  ])('loses %s', (_name, html) => {
    expect(page(body + html)).toEqual(['# Title', ...lines]);
  });

  it('loses content that is shown in print only', () => {
    const cited = `<div class="d-none d-print-block">${paragraph('citing')}</div>`;
    const more = paragraphs('five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven');
    expect(page(body + more + cited).join(' ')).not.toContain('citing');
  });

  it.each([
    ['a quoted post', '<blockquote class="twitter-tweet"><p>Quoted</p></blockquote>', '> Quoted'],
    ['a label that leads nowhere', '<p>Explore further</p>', 'Explore further'],
    [
      'a call within a sentence',
      '<p>We <a href="/1">sign up for it</a> here.</p>',
      'We [sign up for it](https://site.test/1) here.',
    ],
    ['a sentence that begins like a call', '<p>Follow us on our way.</p>', 'Follow us on our way.'],
    ['code', '<pre>let a;</pre>', 'let a;'],
    ['code by the name of its source', '<pre class="src">let a;</pre>', 'let a;'],
    [
      'a comparison that begins like a call',
      '<p>Like this story, others end.</p>',
      'Like this story, others end.',
    ],
    ['a section named after its heading', '<section id="how-to-share-your-work"><p>So.</p></section>', 'So.'],
    ['what large screens show', '<div class="d-none d-md-block">Large</div>', 'Large'],
    [
      'paragraphs that its classes hide',
      `<div class="hidden">${paragraph('a tab')}</div>`,
      sentence('a tab'),
    ],
    ['links that screen readers skip', '<p><a aria-hidden="true">Seen</a></p>', 'Seen'],
    ['what folds', '<div class="accordion" hidden><p>Folded</p></div>', 'Folded'],
  ])('keeps %s', (_name, html, expected) => {
    expect(page(body + html)).toContain(expected);
  });

  const image = '<img src="/p.png" alt="Rain">';
  it.each([
    ['in a figure', `<figure>${image}<figcaption>A picture of it</figcaption></figure>`],
    [
      'with its author',
      `<figure>${image}<figcaption><span class="caption">A picture of it</span> <i class="credit">By the agency</i></figcaption></figure>`,
    ],
    [
      'by name',
      `<div class="wp-caption"><a href="/p">${image}</a><p class="wp-caption-text">A picture of it</p></div>`,
    ],
    ['by name, below the picture', `<p>${image}</p><p class="caption">A picture of it</p>`],
  ])('keeps the caption of a picture %s', (_name, html) => {
    const lines = page(`${body}${html}${paragraph('five')}`).join('\n');
    expect(lines).toMatch(/!\[Rain\]\(https:\/\/site\.test\/p\.png\)/);
    expect(lines).toContain('A picture of it');
    expect(lines.includes('By the agency')).toBe(html.includes('By the agency'));
  });

  it('keeps the caption of a table, and loses captions that excludeTags name', () => {
    const figure = `<figure><table><tr><th>a<th>b<tr><td>1<td>2</table><figcaption>Values</figcaption></figure>`;
    const html = `${ARTICLE}<main><h1>Title</h1>${body}${figure}</main>`;
    expect(left(html)).toContain('Values');
    expect(contentOf(html, { excludeTags: ['figcaption'] }).markdown).not.toContain('Values');
  });

  it.each([
    [
      'a last paragraph that is only a link',
      '<p><a href="/a b(c)">text [with] break</a></p>',
      'text [with] break',
    ],
    ['a link to a file', `<p><a href="/report.pdf?v=2">The report</a></p>${paragraph('five')}`, 'The report'],
    [
      'a link that downloads',
      `<p><a href="/r/1" download>The report</a></p>${paragraph('five')}`,
      'The report',
    ],
  ])('keeps %s', (_name, html, kept) => {
    expect(page(body + html).join('\n')).toContain(`[${kept}](`);
  });

  it('keeps links between its paragraphs, and loses those in a box', () => {
    const link = '<a href="/1">Another story of the day</a>';
    expect(page(`${body}<p>${link}</p>${paragraph('five')}`)).toEqual([
      ...['# Title', ...lines, '[Another story of the day](https://site.test/1)', sentence('five')],
    ]);
    expect(page(`${body}<div class="box"><img src="/p.png">${link}</div><div>${link}</div>`)).not.toContain(
      'story',
    );
  });

  it('keeps the items of a list, whether they are links or words that are labels elsewhere', () => {
    const item = (text: string) => `<li><p>${text}</p></li>`;
    const list = `<ul>${item('<a href="/1">One</a>')}${item('Comments.')}${item('<a href="/2">Two</a>')}</ul>`;
    expect(page(`${body}${list}${paragraph('five')}`)).toEqual([
      ...['# Title', ...lines, '- [One](https://site.test/1)', '- Comments.', '- [Two](https://site.test/2)'],
      sentence('five'),
    ]);
  });

  it('keeps links below a heading of the outline, and loses those below one that is none', () => {
    const links = '<ul><li><a href="/1">First other page</a></li><li><a href="/2">Second</a></li></ul>';
    const html = (level: string) =>
      `<h2>Start</h2>${body}<${level}>Contents</${level}>${links}<h2>End</h2>${paragraph('five')}`;
    expect(page(html('h2'))).toContain('- [Second](https://site.test/2)');
    expect(page(html('h3')).join()).not.toContain('Second');
  });

  it('keeps a title outside its text, with the introduction and nothing else beside it', () => {
    const header = (inside: string) =>
      left(`${ARTICLE}<header><h1>Title</h1>${inside}</header><div>${body}</div>`);
    expect(header('<p>What it is about</p><div><a href="/a">Jane</a></div>')).toEqual([
      ...['# Title', 'What it is about', ...lines],
    ]);
    expect(header('<h1><img src="/logo.png" alt="Site"></h1>')).toEqual(['# Title', ...lines]);
  });

  it('is reduced to the element marked as its body', () => {
    const box = `<div class="promo">${sentence('x').slice(0, 40)}</div>`;
    const html = `${ARTICLE}<main><h1>Title</h1>${box}<div itemprop="articleBody">${body}</div></main>`;
    expect(left(html)).toEqual(['# Title', ...lines]);
  });

  it('is not taken from a main element with the smaller part of the page', () => {
    const others = `<div role="main">${['x', 'y', 'z'].map((about) => `<div>${paragraph(about)}</div>`).join('')}</div>`;
    expect(left(`${ARTICLE}<article><h1>Title</h1>${body}${paragraph('five')}</article>${others}`)).toContain(
      sentence('five'),
    );
  });

  it('loses an aside with an h1', () => {
    const html = (heading: string) =>
      `<title>Title | Site</title>${ARTICLE}<div><h1>Title</h1>${body}</div><aside><${heading}>Offers</${heading}>${paragraph('buying')}</aside>`;
    expect(left(html('h1'))).toEqual(left(html('h2')));
  });

  it('loses the author box after the text, but no element of that name before it', () => {
    const box = `<div class="post-author"><h4>Jane Doe</h4>${paragraphs('her', 'her work')}</div>`;
    const long = Array.from({ length: 40 }, (_, nth) => `part ${nth}`);
    expect(page(`${paragraphs(...long)}${box}`)).toEqual(['# Title', ...long.map(sentence)]);
    expect(page(`${box}${paragraphs(...long)}`)).toContain(sentence('her work'));
  });

  it('loses paragraphs repeated for small screens', () => {
    expect(page(`${body}<div>${paragraph('one')}</div>`)).toEqual(['# Title', ...lines]);
  });

  it('keeps paragraphs that only begin alike, and loses one that repeats the last of them', () => {
    const alike = ['one', 'two', 'two'].map(
      (about) => `${sentence('the same beginning')} ${sentence(about)}`,
    );
    const html = `${body}<div>${alike.map((text) => `<p>${text}</p>`).join('')}</div>`;
    expect(page(html)).toEqual(['# Title', ...lines, alike[0], alike[1]]);
  });

  it('ignores class names that cover most of the page', () => {
    const widgets = ['one', 'two'].map((about) => `<div class="widget">${paragraph(about)}</div>`).join('');
    expect(left(`${ARTICLE}<article>${widgets}</article>`)).toEqual([sentence('one'), sentence('two')]);
  });

  it('is the one with the title when others follow', () => {
    const others = ['x', 'y', 'z'].map((about) => `<article>${paragraphs(about, about)}</article>`).join('');
    const html = `${ARTICLE}<div><article><h1>Title</h1>${body}</article>${others}</div>`;
    expect(left(html)).toEqual(['# Title', ...lines]);
  });

  it('is found by its paragraphs when nothing marks it', () => {
    const html = `<div><div>Site</div><div><div>${body}</div><div>Aside</div></div><div>Imprint</div></div>`;
    expect(left(html)).toEqual(lines);
  });
});

describe('the main content of other pages', () => {
  it('of documentation keeps code and tables and loses the page tree', () => {
    const tree = '<div class="sidebar"><a href="/a">A</a><a href="/b">B</a></div>';
    const html = `${tree}<div role="main"><h1>API</h1>${paragraph('it')}<pre>f()</pre><table><tr><td>x<td>y</table></div>`;
    const lines = left(DOCS + html);
    expect(lines).toEqual(expect.arrayContaining(['# API', sentence('it'), 'f()']));
    expect(lines.join('\n')).toContain('| x | y |');
    expect(lines.join('\n')).not.toContain('[A]');
  });

  it('of a thread keeps all posts without the data of their authors', () => {
    const post = (about: string) =>
      `<div class="comment"><div class="postprofile">Joined 2020</div><a class="author">Jane</a><time>2 days ago</time>${paragraph(about)}<div class="signature">Me</div></div>`;
    const html = `<h1>Question</h1><div>${['a', 'b', 'c'].map(post).join('')}</div><h3>Similar threads</h3><p>Other</p>`;
    expect(left(THREAD + html)).toEqual([
      '# Question',
      ...['a', 'b', 'c'].flatMap((about) => ['Jane2 days ago', sentence(about)]),
    ]);
  });

  it('of a thread is its posts, whatever surrounds them', () => {
    const post = (about: string) =>
      `<div class="row"><h4 class="author">Jane</h4><span>25 likes</span><div class="text body">${paragraph(about)}<p>Short</p></div><i>#1</i></div>`;
    const html = `<h1>Question</h1><div>${['a', 'b', 'c'].map(post).join('')}</div><p>Who is online</p>`;
    expect(left(THREAD + html)).toEqual(
      ['a', 'b', 'c'].flatMap((about) => ['#### Jane', sentence(about), 'Short']),
    );
  });

  it('of a thread includes remarks on posts', () => {
    const post = (about: string, remark: string) =>
      `<div class="post">${paragraph(about)}${paragraph(about)}<div class="comments">${remark}</div></div>`;
    const thread = (remark: string) => left(`${THREAD}<div>${post('a', remark)}${post('b', remark)}</div>`);
    expect(thread(paragraph('remark'))).toContain(sentence('remark'));
    expect(thread(paragraph('remark').repeat(4))).toContain(sentence('remark'));
  });

  it('without authors and dates is no thread, whatever its URL says', () => {
    const row = (about: string) => `<div class="row"><h3>About ${about}</h3>${paragraph(about)}</div>`;
    const html = `<main><h1>Storage</h1>${paragraph('it')}${['a', 'b', 'c', 'd', 'e', 'f'].map(row).join('')}</main>`;
    const lines = left(html, 'https://site.test/thread/storage');
    expect(lines).toEqual(expect.arrayContaining([sentence('it'), '### About c', sentence('f')]));
  });

  it('of a thread includes posts inside forms', () => {
    const html = ['a', 'b', 'c', 'd', 'e'].map((about) => `<form>${paragraph(about)}</form>`).join('');
    expect(left(THREAD + html)).toContain(sentence('c'));
  });

  it('of a listing keeps the title and the introduction from the header, without the rest of it', () => {
    const card = (name: string) =>
      `<li><a href="/${name}"><h3>Thing ${name}</h3></a><p>${sentence(name)}</p></li>`;
    const header = `<header><a href="/cart">Cart</a><h1>Things</h1>${paragraph('things')}<div>Sort by price</div></header>`;
    const html = `${header}<div><ul>${['1', '2', '3'].map(card).join('')}</ul></div>`;
    expect(left(LISTING + html).slice(0, 3)).toEqual([
      ...['# Things', sentence('things'), '- ### [Thing 1](https://site.test/1)'],
    ]);
  });

  it('of a product includes small print and words with tooltips', () => {
    const html = `<meta property="og:type" content="product"><main><h1>Thing</h1>${paragraphs('it', 'its use', 'its make', 'its size', 'its age')}
      <div class="tooltip">${paragraph('words')}</div><div class="disclaimer">${paragraphs('rights', 'duties')}</div></main>`;
    expect(left(html)).toEqual([
      '# Thing',
      ...['it', 'its use', 'its make', 'its size', 'its age'].map(sentence),
    ]);
  });

  it('of a page of comments is the same below any path', () => {
    const html = `<div class="comments">${paragraphs('a', 'b', 'c', 'd', 'e', 'f')}</div>${paragraphs('x', 'y')}`;
    for (const path of ['topic/12-thing', 't/12', 't/thing/12', 'topic/things'])
      expect(left(html, `https://site.test/${path}`)).toContain(sentence('a'));
  });

  it('of a listing keeps the text below its title', () => {
    const card = (name: string) =>
      `<li><a href="/${name}"><h3>Thing ${name}</h3></a><p>${sentence(name)}</p></li>`;
    const html = `<div><p>Sale</p><h1>Things</h1>${paragraph('things')}</div><main><ul>${['1', '2', '3'].map(card).join('')}</ul></main>`;
    const lines = left(LISTING + html);
    expect(lines.slice(0, 4)).toEqual([
      'Sale',
      '# Things',
      sentence('things'),
      '- ### [Thing 1](https://site.test/1)',
    ]);
  });

  it('of documentation keeps repeated text', () => {
    const html = `<main><h1>API</h1>${paragraphs('a', 'b', 'a')}</main>`;
    expect(left(DOCS + html).filter((line) => line === sentence('a'))).toHaveLength(2);
  });

  it('of a listing keeps title and text of each card', () => {
    const card = (name: string) => `<li><a href="/${name}"><h3>Thing ${name}</h3></a><p>$1${name}</p></li>`;
    const html = `<div class="filters"><a href="?red">Red</a></div><ul>${['1', '2', '3'].map(card).join('')}</ul>`;
    expect(left(LISTING + html)).toEqual([
      ...['- ### [Thing 1](https://site.test/1)', '  $11'],
      ...['- ### [Thing 2](https://site.test/2)', '  $12'],
      ...['- ### [Thing 3](https://site.test/3)', '  $13'],
    ]);
  });

  it('is treated as a listing when it is mostly links and declares no type', () => {
    const links = Array.from(
      { length: 20 },
      (_, index) => `<section><a href="/${index}">Story number ${index}</a></section>`,
    );
    expect(left(`<div>${links.join('')}</div>`)).toHaveLength(20);
  });

  it('is treated as a listing when it is mostly links, even below the URL path of articles', () => {
    const links = Array.from(
      { length: 20 },
      (_, index) => `<div><a href="/${index}">Story number ${index}</a></div>`,
    );
    expect(left(`<main>${links.join('')}</main>`, 'https://site.test/news/technology')).toHaveLength(20);
  });

  it('is treated as a thread when it consists of replies', () => {
    const replies = Array.from({ length: 30 }, (_, index) => paragraph(`reply ${index}`)).join('');
    const html = `${ARTICLE}<a href="https://other.test/">Shared</a><div class="comments">${replies}</div>`;
    expect(left(html)).toContain(sentence('reply 29'));
  });

  it('of a product keeps title, price, description and data, but no reviews and no other products', () => {
    const html = `<meta property="og:type" content="product"><main><div>Home / Things</div><h1>Thing</h1><p>$12</p>
      ${paragraph('it')}<table><tr><th>Weight<td>1 kg</table>
      <div class="reviews">${paragraphs('liking it', 'hating it')}<time>2026-01-02</time> <span>5 out of 5</span></div>
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

  it('of a page of sections keeps all of them', () => {
    const section = (about: string) =>
      `<section><h2>About ${about}</h2><div>${paragraph(about)}</div></section>`;
    const html = `<header>Site</header><h1>We</h1>${['a', 'b', 'c'].map(section).join('')}<footer>Imprint</footer>`;
    expect(left(html, 'https://site.test/')).toEqual([
      ...['# We', '## About a', sentence('a'), '## About b', sentence('b'), '## About c', sentence('c')],
    ]);
  });

  it('in noscript is kept when no script ran', () => {
    const html = `<p>Loading</p><noscript><div>${paragraphs('a', 'b', 'c', 'd', 'e')}</div></noscript>`;
    expect(left(html, '', { engine: 'http' })).toContain(sentence('a'));
    expect(left(html, '', { engine: 'browser' })).toEqual(['Loading']);
  });
});

describe('the work of the filter', () => {
  const workFor = (html: string) => countWork(ARTICLE + html);

  it.each([
    ['deep nesting', (count: number) => '<div class="sidebar"><h2>Comments</h2>'.repeat(count)],
    ['siblings', (count: number) => paragraph('x').repeat(count)],
    ['headings of other sections', (count: number) => '<h2>Related</h2>'.repeat(count)],
    ['nested sections', (count: number) => '<div><h2>Related</h2><h3>Comments</h3></div>'.repeat(count)],
    ['articles', (count: number) => `<article><h1>T</h1>${paragraph('x')}</article>`.repeat(count)],
    ['titles', (count: number) => `<title>T</title>${'<h1>T of it</h1>'.repeat(count)}`],
    ['rows', (count: number) => `<table>${'<tr><td>a<td>b'.repeat(count)}</table>`],
    [
      'headings after the title',
      (count: number) =>
        `<div><div><h1>T</h1>${`<h2>${'word '.repeat(12)}</h2>`.repeat(count)}</div><div>${paragraph('x').repeat(9 * count)}</div></div>`,
    ],
    [
      'nested lists of teasers',
      (count: number) =>
        `<h1>T</h1>${paragraph('x').repeat(count)}${'<div>'.repeat(200)}${'<h2><a href="/1">Other</a></h2>'.repeat(count)}`,
    ],
    [
      'heads of the page',
      (count: number) =>
        `<h1>T</h1>${`<div>${'<div>'.repeat(9)}${paragraph('y')}`.repeat(count / 10)}<article>${paragraph('x').repeat(count)}</article>`,
    ],
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
