import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { contentOf } from './page.ts';

const SENTENCE = 'A long sentence about code that says enough to count as a paragraph, and more of it.';

/** The blocks of a page's markdown below its first paragraph. */
const blocks = (html: string, onlyMainContent = true) =>
  contentOf(
    `<main><h1>Code</h1><p>${SENTENCE}</p>${html}</main>`,
    { onlyMainContent },
    { url: 'https://site.test/docs/code' },
  )
    .markdown.split(/\n{2,}/)
    .slice(2);
const code = (language: string, text = 'a()') => `\`\`\`${language}\n${text}\n\`\`\``;

describe('the language of a block of code', () => {
  const row = (language: string) =>
    `<table><tr><td class="gutter"><pre><span class="line">1</span><br></pre></td><td class="code"><pre>${language}</pre></td></tr></table>`;

  it.each([
    ['a class of the figure around its table', `<figure class="highlight js">${row('a()')}</figure>`, 'js'],
    [
      'a class of the elements around its table',
      `<div class="highlight-python"><div class="highlight">${row('a()')}</div></div>`,
      'python',
    ],
    ['a class that is the name of a language', '<pre class="highlight ruby"><code>a()</code></pre>', 'ruby'],
    ['a class beside others', '<pre><code class="rust hljs">a()</code></pre>', 'rust'],
    ['an attribute of its own', '<pre><code language="go">a()</code></pre>', 'go'],
    [
      'its label, where nothing else names it',
      '<div><div class="head"><span>C++</span></div><pre>a()</pre></div>',
      'c++',
    ],
  ])('is named by %s', (_name, html, language) => {
    expect(blocks(html)).toEqual([code(language)]);
  });

  it.each([
    ['a class that says how it looks', '<pre class="terminal">a()</pre>'],
    ['a class that says that it is none', '<pre class="highlight plaintext">a()</pre>'],
    ['a class of an element around it', '<div class="java"><pre>a()</pre></div>'],
  ])('is not %s', (_name, html) => {
    expect(blocks(html)).toEqual([code('')]);
  });
});

describe('beside a block of code', () => {
  const pre = '<pre><code class="language-js">a()</code></pre>';

  it.each([
    ['above it', `<div><button class="copy"></button><span class="lang">js</span>${pre}</div>`],
    [
      'in a header',
      `<div class="frame"><div class="header"><span>JavaScript</span><button>Copy to Clipboard</button></div>${pre}</div>`,
    ],
    ['in a header beside it', `<div class="header"><span>JavaScript</span><a>Copy</a></div>${pre}`],
    [
      'below it',
      `<div>${pre}<div class="bar"><div><span>JS</span></div><div><button><span>Copy</span></button></div></div></div>`,
    ],
    ['inside of it', '<pre><span>js</span><code class="language-js">a()</code><span>Copied!</span></pre>'],
    ['two levels above it', `<div><div><span>Copy code</span></div><div><div>${pre}</div></div></div>`],
    [
      'by a name that only its class has',
      '<div><span>Azure CLI</span><pre><code class="lang-azurecli">a()</code></pre></div>',
      'azurecli',
    ],
  ])('labels of its language and what copies it are left out %s', (_name, html, language = 'js') => {
    for (const onlyMainContent of [true, false])
      expect(blocks(html, onlyMainContent)).toEqual([code(language)]);
  });

  it.each([
    ['a paragraph', `<p>JavaScript</p>${pre}`, 'JavaScript'],
    ['a heading', `<h2>JavaScript</h2>${pre}`, '## JavaScript'],
    ['a title', `<div><div>copy.js</div>${pre}</div>`, 'copy.js'],
    ['another language', `<div><div>Python</div>${pre}</div>`, 'Python'],
    ['a text', `<div>It copies.</div>${pre}`, 'It copies.'],
    ['a word of a text', '<div>Use <b>PHP</b> for</div><pre>a()</pre>', 'Use **PHP** for'],
  ])('%s stays', (_name, html, expected) => {
    for (const onlyMainContent of [true, false]) expect(blocks(html, onlyMainContent)[0]).toBe(expected);
  });

  it('a title stays without what stands beside it', () => {
    const header = '<div><span>copy.js</span> <span>js</span> <button>Copy</button></div>';
    for (const onlyMainContent of [true, false])
      expect(blocks(`<div>${header}${pre}</div>`, onlyMainContent)).toEqual(['copy.js', code('js')]);
  });

  it('nothing is left out by a conversion that keeps everything', () => {
    const html = `<div><span>js</span>${pre}<button>Copy</button></div>`;
    expect(toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: false })).toContain('Copy');
  });

  it('other code stays, whatever it says', () => {
    const other =
      '<div><pre><code><span>js</span> <span>&amp;&amp;</span> <span>copy</span></code></pre></div>';
    for (const language of ['language-js', ''])
      expect(blocks(`${other}<pre><code class="${language}">a()</code></pre>`)[0]).toBe(
        code('', 'js && copy'),
      );
  });

  it('the name of a language is text where other blocks follow', () => {
    const html = '<div>Go</div><pre>a()</pre><p>And on.</p>';
    expect(blocks(html)).toEqual(['Go', code(''), 'And on.']);
  });
});

describe('the names of tabs with code', () => {
  const panel = (text: string) => `<div><pre><code class="language-sh">${text}</code></pre></div>`;
  const inputs = '<input type="radio" id="a"><input type="radio" id="b">';
  const panels = panel('npm i') + panel('yarn add');
  const CODE = [code('sh', 'npm i'), code('sh', 'yarn add')];

  it.each([
    [
      'buttons by role',
      `<div><div role="tablist"><button role="tab">npm</button><button role="tab">Yarn</button></div>${panels}</div>`,
      ['npm', 'Yarn', ...CODE],
    ],
    [
      'buttons by class',
      `<div class="x"><div class="tabs"><button>npm</button><button>Yarn</button></div><div>${panels}</div></div>`,
      ['npm', 'Yarn', ...CODE],
    ],
    [
      'labels',
      `<div class="x">${inputs}<div class="tabbed-labels"><label for="a">npm</label><label for="b">Yarn</label></div><div>${panels}</div></div>`,
      ['npm Yarn', ...CODE],
    ],
    [
      'buttons whose list is a bar of tools by its name',
      `<div class="x"><div class="CodeTabs-toolbar"><button>npm</button><button>Yarn</button></div><div>${panels}</div></div>`,
      ['npm', 'Yarn', ...CODE],
    ],
    [
      'labels between the panels',
      `<div><input id="a" type="radio"><label class="sd-tab-label" for="a">npm</label>${panel('npm i')}<input id="b" type="radio"><label class="sd-tab-label" for="b">Yarn</label>${panel('yarn add')}</div>`,
      ['npm', CODE[0], 'Yarn', CODE[1]],
    ],
    [
      'items',
      `<div><ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul>${panels}</div>`,
      ['- npm\n- Yarn', ...CODE],
    ],
    [
      'languages',
      `<div><div role="tablist"><button role="tab">sh</button><button role="tab">Bash</button></div>${panels}</div>`,
      ['sh', 'Bash', ...CODE],
    ],
  ])('stay as %s', (_name, html, expected) => {
    expect(blocks(html)).toEqual(expected);
  });

  it('stay as links in a list, also on the page of an article', () => {
    const tab = (name: string) => `<li role="presentation"><a role="tab" href="#${name}">${name}</a></li>`;
    const list = `<div class="wrapper"><ul role="tablist">${tab('npm')}${tab('Yarn')}</ul></div>`;
    const text =
      '<p>The package is installed by one of these commands, and then it is updated by itself.</p>';
    const html = `<main><h1>Install</h1>${text.repeat(3)}<div>${list}${panels}</div></main>`;
    const { markdown } = contentOf(html, {}, { url: 'https://site.test/blog/install' });
    expect(markdown).toContain('- [npm](https://site.test/blog/install#npm)');
  });

  it('are controls where there is no code', () => {
    expect(blocks('<div role="tablist"><button role="tab">npm</button></div><div>One</div>')).toEqual([
      'One',
    ]);
  });
});

describe('code in elements that are no pre', () => {
  it('is that of Doxygen, without the numbers of its lines', () => {
    const line = (number: string, text: string) =>
      `<div class="line"><a id="l${number}"></a><span class="lineno">    ${number}</span>&#160;${text}</div>\n`;
    const lines = [
      line('1', '<span class="keyword">if</span> (a)'),
      line('2', '<span class="comment">  // b</span>'),
    ];
    expect(blocks(`<div class="fragment">${lines.join('')}</div>`)).toEqual([code('', 'if (a)\n  // b')]);
    expect(blocks('<div class="fragment"><p>Text</p></div>')).toEqual(['Text']);
  });

  it('is that of Rspress', () => {
    const html = '<div class="language-sh"><div class="content"><code>a\n  b\n</code></div></div>';
    expect(blocks(html)).toEqual([code('sh', 'a\n  b')]);
    expect(blocks('<div class="language-picker"><code>a</code></div>')).toEqual(['`a`']);
    expect(blocks('<div class="language-sh">Say <code>a</code></div>')).toEqual(['Say `a`']);
  });

  it('is that of Writerside', () => {
    expect(blocks('<div class="code-block" data-lang="kotlin">fun a() {\n    b()\n}</div>')).toEqual([
      code('kotlin', 'fun a() {\n    b()\n}'),
    ]);
  });
});
