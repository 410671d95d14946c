import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const markdown = (html: string, options = {}) => contentOf(html, options).markdown;

type Row = [name: string, html: string, expected: string];

describe('blocks', () => {
  const rows: Row[] = [
    ['nothing', '', ''],
    ['only blanks', ' \n <p> </p><div><br></div>', ''],
    ['headings', '<h1>A <em>b</em></h1><h6>c</h6>text', '# A *b*\n\n###### c\n\ntext'],
    ['empty headings', '<h2></h2><h2><br></h2><p>x', 'x'],
    ['a heading of two lines', '<h1>a<br>b</h1>', '# a b'],
    ['paragraphs', '<p>a\n   b</p>c<p>d', 'a b\n\nc\n\nd'],
    ['a line break', '<p>a<br>b</p>', 'a  \nb'],
    ['a rule', 'a<hr>b', 'a\n\n---\n\nb'],
    ['quotes', '<blockquote><p>q</p><blockquote>r</blockquote></blockquote>', '> q\n>\n> > r'],
    ['a definition list', '<dl><dt>Term</dt><dd>What it is</dd></dl>', 'Term\n: What it is'],
    ['details', '<details><summary>S</summary><p>body</p></details>', 'S\n\nbody'],
    [
      'a figure',
      '<figure><img src=a.png alt=A><figcaption>C</figcaption></figure>',
      '![A](https://site.test/dir/a.png)\n\nC',
    ],
    ['bold around a block', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));
});

describe('lists', () => {
  const rows: Row[] = [
    [
      'nested',
      '<ul><li>a<ul><li>b<ol><li>c</li><li>d</li></ol></li></ul></li><li>e</li></ul>',
      '- a\n  - b\n    1. c\n    2. d\n- e',
    ],
    ['with a start', '<ol start=9><li>a</li><li>b</li></ol>', '9. a\n10. b'],
    ['with a start that is none', '<ol start=x><li>a</li></ol>', '1. a'],
    ['with paragraphs', '<ul><li>a<p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['with code', '<ul><li>a<pre>b\nc</pre></li></ul>', '- a\n\n  ```\n  b\n  c\n  ```'],
    ['with blanks between', '<ul>\n  <li>a</li>\n\n  <li>b</li>\n</ul>', '- a\n- b'],
    ['with empty items', '<ul><li></li><li>b</li></ul>', '- b'],
    ['tasks', '<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>', '- [x] a\n- [ ] b'],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));
});

describe('code', () => {
  const rows: Row[] = [
    [
      'with a language',
      '<pre><code class="x language-js">let a;\n\n  b()</code></pre>',
      '```js\nlet a;\n\n  b()\n```',
    ],
    [
      'of a highlighter',
      '<div class="highlight highlight-source-python"><pre><span>def</span> f():\n  pass</pre></div>',
      '```python\ndef f():\n  pass\n```',
    ],
    ['without code inside', '<pre>plain\n  text</pre>', '```\nplain\n  text\n```'],
    ['with line breaks', '<pre>a<br>b</pre>', '```\na\nb\n```'],
    ['with a fence inside', '<pre><code>```\nx\n```</code></pre>', '````\n```\nx\n```\n````'],
    ['with markup as text', '<pre>&lt;b&gt; *x* &amp;amp;</pre>', '```\n<b> *x* &amp;\n```'],
    ['inline', '<p>use <code>_x_</code></p>', 'use `_x_`'],
    ['inline with a backtick', '<code>a`b</code>', '``a`b``'],
    ['none', '<pre></pre><code></code>x', 'x'],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));
});

describe('tables', () => {
  const rows: Row[] = [
    ['with a head', '<table><tr><th>a<th>b<tr><td>1<td>2</table>', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
    ['without one', '<table><tr><td>a<td>b<tr><td>1<td>2</table>', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
    [
      'with bars and breaks in cells',
      '<table><tr><th>a<th>b<tr><td>1|2<td>x<br>y</table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |',
    ],
    [
      'with escaped text in cells',
      '<table><tr><th>a_b<th>*c*<tr><td>1<td>2</table>',
      '| a_b | \\*c* |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'with a caption and a wide cell',
      '<table><caption>Cap</caption><tr><th colspan=2>a</th></tr><tr><td>1<td>2</table>',
      'Cap\n\n| a |  |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'with rows of different lengths',
      '<table><tr><th>a</th></tr><tr><td>1<td>2</table>',
      '| a |  |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['that only arrange a page', '<table><tr><td><table><tr><td>in</table><td>x</table>', 'in\n\nx'],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));

  it('a colspan of a milliard makes no milliard cells', () => {
    const table = markdown('<table><tr><th colspan=1000000000>a<th>b<tr><td>1<td>2</table>');
    expect(table).toContain('| a |');
    expect(table.length).toBeLessThan(2_000);
  });
});

describe('text', () => {
  const rows: Row[] = [
    ['emphasis', '<p><b>a</b> <strong> b </strong><i>c</i><del>d</del></p>', '**a** **b** *c*~~d~~'],
    ['inside a word', '<p>a<b>b</b>c<i></i></p>', 'a**b**c'],
    ['entities', '<p>&copy; &eacute; &#x4e2d;</p>', '© é 中'],
    ['marks as text', '<p>a_b *c* [d] `e` \\f</p>', 'a_b \\*c* [d] \\`e\\` \\f'],
    ['HTML as text', '<p>&lt;b&gt; 1 &lt; 2 &amp;lt; R&amp;D</p>', '\\<b> 1 < 2 \\&lt; R&D'],
    [
      'beginnings of blocks as text',
      '<p># a<p>- b<p>+ c<p>1. d<p>2) e<p>&gt; f<p>~~~<p>===',
      '\\# a\n\n\\- b\n\n\\+ c\n\n1\\. d\n\n2\\) e\n\n\\> f\n\n~\\~\\~\n\n===',
    ],
    [
      'what has no place in text',
      '<svg><title>t</title></svg><select><option>o</select><iframe src=f></iframe>x',
      'x',
    ],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));
});

describe('links and images', () => {
  const rows: Row[] = [
    ['over two lines', '<a href="/x">one<br>two</a>', '[one\\\ntwo](https://site.test/x)'],
    ['around blocks', '<a href="/x"><h3>Head</h3><p>Para</p></a>', '### [Head](https://site.test/x)\n\nPara'],
    ['around a heading', '<a href="/x"><h3>Head</h3></a>', '### [Head](https://site.test/x)'],
    ['in a heading', '<h3><a href="/x">Head</a></h3>', '### [Head](https://site.test/x)'],
    [
      'around an image',
      '<a href="/x"><img src=i.png alt=a></a>',
      '[![a](https://site.test/dir/i.png)](https://site.test/x)',
    ],
    ['with a title', `<a href="/x" title='a "b"'>t</a>`, '[t](https://site.test/x "a \\"b\\"")'],
    ['with signs in the address', '<a href="/x y(z)">t</a>', '[t](https://site.test/x%20y(z))'],
    ['to the page itself', '<a href="#f">t</a>', '[t](https://site.test/dir/page#f)'],
    ['to nowhere', '<a>a</a> <a href="javascript:x()">b</a>', 'a b'],
    ['without text', '<a href="/x"></a>b', 'b'],
    ['that skip', '<a href="#main">Skip to main content</a><p>x', 'x'],
    [
      'an image with a title',
      '<img src=x.png alt="a [b]" title=t>',
      '![a \\[b\\]](https://site.test/dir/x.png "t")',
    ],
    ['an image without a source', '<img alt=x>y', 'y'],
  ];
  it.each(rows)('%s', (_name, html, expected) => expect(markdown(html)).toBe(expected));

  it('removes data images from markdown alone, and only when asked', () => {
    const html = '<p>a<img src="data:image/png;base64,AAAA" alt="dot"></p>';
    expect(markdown(html)).toBe('a![dot](<Base64-Image-Removed>)');
    expect(contentOf(html).html).toContain('data:image/png;base64,AAAA');
    expect(markdown(html, { removeBase64Images: false })).toBe('a![dot](data:image/png;base64,AAAA)');
  });
});

describe('any page', () => {
  const tags = [
    'div',
    'p',
    'a href=x',
    'b',
    'li',
    'ul',
    'ol',
    'table',
    'tr',
    'td',
    'pre',
    'code',
    'h2',
    'blockquote',
    'svg',
  ];
  const piece = fc.oneof(
    fc.constantFrom(...tags).map((tag) => `<${tag}>`),
    fc.constantFrom(...tags).map((tag) => `</${tag.split(' ')[0]}>`),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('word', ' ', '\n', '&amp;', '<br>', '<img src=a>', '<!--', '-->', '<', '&#0;', '\u00a0'),
  );
  const page = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  it('gives the same markdown every time, trimmed', () => {
    fc.assert(
      fc.property(page, (html) => {
        const first = markdown(html);
        expect(markdown(html)).toBe(first);
        expect(first).toBe(first.trim());
      }),
      { numRuns: 300 },
    );
  });

  it('loses no word of a paragraph', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        const html = words.map((each, n) => (n % 3 ? `<b>${each}</b> ` : `<p>${each} `)).join('');
        expect(markdown(html).match(/[a-z]+/g)).toEqual(words);
      }),
    );
  });
});
