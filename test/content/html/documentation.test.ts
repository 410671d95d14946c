import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

/** What a page declares to be. */
const DOCS = '<script type="application/ld+json">{"@type":"TechArticle"}</script>';
const BLOG = '<script type="application/ld+json">{"@type":"BlogPosting"}</script>';
const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const text = ['a', 'b', 'c'].map((about) => `<p>${sentence(about)}</p>`).join('');

/** The blocks that the filter keeps of a page after its title and first paragraphs, one per line. */
const left = (inside: string, head = DOCS) =>
  contentOf(`${head}<main><h1>Title</h1>${text}${inside}</main>`)
    .markdown.replace(/\]\([^)]*\)/g, ']')
    .split(/\n+/)
    .slice(4);

describe('a page of documentation', () => {
  it.each([
    ['a section named after its heading', '<section id="cookies"><h2>Cookies</h2><p>Set them.</p></section>'],
    ['a heading by its address', '<h2 id="navigation-menu">Cookies</h2><p>Set them.</p>'],
    ['a definition by its address', '<dl><dt id="http.cookies">Cookies</dt><dd>Set them.</dd></dl>'],
    [
      'a note named after its title',
      '<div class="admonition-cookie-menu admonition"><p>Cookies</p>Set them.</div>',
    ],
    ['a hint', `<div class="admonition hint"><p>Cookies</p>${sentence('them')} Set them.</div>`],
    ['a footnote set aside', `<aside class="footnote-list">Cookies: ${sentence('them')} Set them.</aside>`],
    [
      'code with a toolbar around it',
      '<div class="code-toolbar"><pre><code>Cookies Set them.</code></pre><div class="toolbar"><button>Copy</button></div></div>',
    ],
    ['a section that others have beside the content', '<h2>Cookies</h2><p>Set them.</p>'],
  ])('keeps %s', (_name, html) => {
    const lines = left(html).join(' ');
    expect(lines).toContain('Cookies');
    expect(lines).toContain('Set them.');
  });

  it.each([
    ['what is asked of readers', '<div><h2>Was this page helpful?</h2><p>Yes No</p></div>'],
    [
      'contents of the page',
      '<div class="toc"><ul><li><a href="#a">A part</a></li><li><a href="#b">B part</a></li></ul></div>',
    ],
    [
      'what readers are to unfold',
      '<details open><summary class="hideme">Expand description</summary></details>',
    ],
    ['when it was changed', '<div><p>Last updated on <time>1 May 2026</time></p></div>'],
    ['when it was changed, by name', '<div class="page-metadata"><span>1 May</span></div>'],
    ['whether it was of use', '<div><p>Did this answer your question?</p></div>'],
    ['how to change it', '<div><a href="/edit">Edit this page on GitHub</a></div>'],
    ['its licence', '<p>Except as otherwise noted, the content of this page is licensed as free.</p>'],
    ['what is not to be indexed', '<div class="nocontent"><p>Translated by a machine</p></div>'],
    ['offers of help', '<section><h3>Still need help?</h3><p>Ask the community.</p></section>'],
    ['ways to its source', '<a class="src" href="/src">Source</a>'],
  ])('has %s beside it', (_name, html) => {
    expect(left(html)).toEqual([]);
  });

  it.each([
    [
      'a sentence that begins with a change',
      `<p>Last updated rows come first. ${sentence('rows')} ${sentence('them')}</p>`,
      'Last updated rows',
    ],
    [
      'a table beside the sentences',
      '<table><tr><td>Option</td></tr><tr><td>Value</td></tr></table>',
      'Option',
    ],
    ['a section without sentences', '<section><h2>Options</h2><div>Value</div></section>', 'Value'],
  ])('keeps %s', (_name, html, kept) => {
    const page = `<main><h1>Title</h1><div class="text">${text}${text}</div>${html}</main>`;
    expect(contentOf(DOCS + page).markdown).toContain(kept);
  });

  const site = '<div><header><h1><a href="/">Site</a></h1><nav><a href="/a">A</a></nav></header>';
  const lead = '<p>Where to begin.</p>';
  it.each([
    ['in a header', `<header><h1>Title</h1>${lead}</header>`],
    [
      'deep in a header',
      `<header><div><i>Guides</i><div><h1>Title</h1><button>Copy</button></div></div><div>${lead}</div></header>`,
    ],
    ['in a header with a permalink', `<header><h1><a href="#t">\u200B</a>Title</h1>${lead}</header>`],
    ['in a plain element', `<div><h1>Title</h1>${lead}</div>`],
  ])('keeps title and introduction %s beside its text', (_name, header) => {
    const side = '<div class="sidebar"><a href="/a">A</a><a href="/b">B</a></div>';
    const page = `<title>Title - Site</title><div>${side}<div>${header}<div>${text}</div></div></div>`;
    expect(
      contentOf(DOCS + page)
        .markdown.split(/\n+/)
        .slice(0, 3),
    ).toEqual([...['# Title', 'Where to begin.', sentence('a')]]);
  });

  it.each([
    'Mintlify',
    'GitBook (2f1c9a)',
    'VitePress v1.6.3',
    'Starlight v0.32.1',
    'Antora 3.1.9',
    'docfx 2.78',
  ])('is a page that %s has made', (generator) => {
    const page = `<meta name="generator" content="${generator}"><div><header><h1>Title</h1>${lead}</header><div>${text}</div></div>`;
    expect(contentOf(page).markdown).toContain('# Title\n\nWhere to begin.');
  });

  it('does not include the name of the site, even if it is a heading', () => {
    const page = `${site}<div><h2>Part</h2>${text}</div></div>`;
    expect(contentOf(DOCS + page).markdown).not.toContain('Site');
  });

  it('has no anchor signs in its headings', () => {
    const signs = '<button>Copy path</button><span class="mw-editsection">[edit]</span>';
    expect(left(`<h2>Module io${signs}<a href="#io">\u200B</a></h2>`)).toEqual(['## Module io']);
    expect(left('<h3><button>Which one?</button></h3>')).toEqual(['### Which one?']);
  });

  it('keeps the table of contents of a chapter', () => {
    const contents = '<div class="toc"><ul><li><a href="a.html">A part</a></li></ul></div>';
    expect(left(contents)).toEqual(['- [A part]']);
  });

  it.each([
    ['its meta data', '<meta name="readthedocs-project-slug" content="x">'],
    ['its body', '<body class="rustdoc mod">'],
  ])('is told by %s', (_name, head) => {
    expect(left('<h2>Cookies</h2><p>Set them.</p>', head)).toEqual(['## Cookies', 'Set them.']);
    expect(left('<h2>Cookies</h2><p>Set them.</p>', BLOG)).toEqual([]);
  });
});

describe('an element that is judged by its tag and not by its class', () => {
  it('is code, but for the lines that it hides', () => {
    const code = `<pre><code class="language-rust"><span class="token comment">// Adds</span>
<span class="boring">use hidden;</span>let <span class="hljs-tag">sum</span> = <span class="menu">a</span>;</code></pre>`;
    for (const head of [DOCS, BLOG])
      expect(left(code, head)).toEqual(['```rust', '// Adds', 'let sum = a;', '```']);
  });

  it('is code in elements that hold its lines', () => {
    const line = (text: string) => `<div class="token-line">${text}<br></div>`;
    const lines = [
      '<span class="token comment">// Adds</span>',
      'sum(<span class="share"><i class="menu">a</i></span>)',
      '<span class="sr">/a/</span>',
    ];
    const code = `<pre><code>${lines.map(line).join('')}</code></pre>`;
    for (const head of [DOCS, BLOG])
      expect(left(code, head)).toEqual(['```', '// Adds', 'sum(a)', '/a/', '```']);
  });

  it('are links in a paragraph', () => {
    const html = `<p>${sentence('it')} See <a class="share-menu" href="/a">the other page</a> and more.</p>`;
    for (const head of [DOCS, BLOG])
      expect(left(html, head)).toEqual([`${sentence('it')} See [the other page] and more.`]);
  });

  it('is what a class says on a condition', () => {
    const html = '<div class="flex print:hidden hover:menu">Shown</div>';
    expect(left(html)).toEqual(['Shown']);
  });

  it('is no sign that leads to its own heading', () => {
    const icon = '\uF0C1';
    for (const sign of ['¶', '#', icon]) {
      const html = `<h2 id="part">Part<a class="headerlink" href="#part">${sign}</a></h2><p>${sentence('it')}</p>`;
      for (const head of [DOCS, BLOG]) expect(left(html, head)).toEqual(['## Part', sentence('it')]);
    }
  });
});
