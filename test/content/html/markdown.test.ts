import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';
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
    [
      'details of a term',
      '<dl><dt>T<dd>a<dd>b<dt>U<dd><p>c<ul><li>d</ul></dl>',
      'T\n: a\n: b\n\nU\n\nc\n\n- d',
    ],
    ['two breaks', '<p>a<br><br>b <i>c<br><br>d</i>', 'a\n\nb *c*\n\n*d*'],
    ['a quotation', '<p><q>a</q> b', '“a” b'],
    ['a heading that ends in signs', '<h2>C #</h2>', '## C \\#'],
    ['bold around a block', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );

  it('include an explicitly requested dialog', () =>
    expect(markdown('<dialog><p>a</p></dialog>b', { includeTags: ['dialog'] })).toBe('a'));
});

describe('lists', () => {
  const rows: Row[] = [
    [
      'nested',
      '<ul><li>a<ul><li>b<ol><li>c</li><li>d</li></ol></li></ul></li><li>e</li></ul>',
      '- a\n  - b\n    1. c\n    2. d\n- e',
    ],
    ['with a start', '<ol start=9><li>a</li><li>b</li></ol>', '9. a\n10. b'],
    ['with a start that its first item says', '<ol start=2><li value=4>a<li>b</ol>', '4. a\n5. b'],
    ['with a start that is none', '<ol start=x><li>a</li></ol>', '1. a'],
    ['with paragraphs', '<ul><li>a<p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['with code', '<ul><li>a<pre>b\nc</pre></li></ul>', '- a\n\n  ```\n  b\n  c\n  ```'],
    ['with blanks between', '<ul>\n  <li>a</li>\n\n  <li>b</li>\n</ul>', '- a\n- b'],
    [
      'right after another',
      '<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol start=3><li>d</ol>',
      '- a\n\n* b\n\n1. c\n\n3) d',
    ],
    ['in a list without an item', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    [
      'of items inside of other elements',
      '<ul><div><li>a</li></div><a href=/x><li>b</li></a></ul>',
      '- a\n- [b](https://site.test/x)',
    ],
    ['without a list', '<li>a</li><li>b</li>', '- a\n- b'],
    [
      'of quotes, headings and rules',
      '<ul><li><blockquote>a</blockquote><li><h3>b</h3>c<li><hr></ul>',
      '- > a\n- ### b\n  c\n- ___',
    ],
    ['of dashes', '<ul><li>--<li>- -<br>a</ul>', '- \\--\n- \\- -  \n  a'],
    ['below a text, not beginning with one', '<ol><li>a<ol start=4><li>b</ol></ol>', '1. a\n\n   4. b'],
    ['with boxes in labels', '<ul><li><label><input type=checkbox> a</label></ul>', '- [ ] a'],
    ['with empty items', '<ul><li></li><li>b</li></ul>', '- b'],
    ['tasks', '<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>', '- [x] a\n- [ ] b'],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );
});

describe('blocks and spans of code', () => {
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
    [
      'of highlighters that name no kind of class',
      '<pre class="sourceCode numberSource r"><code>a</code></pre><pre><code class="hljs js">b</code></pre>',
      '```r\na\n```\n\n```js\nb\n```',
    ],
    ['with text behind a line', '<pre><div>a</div>b</pre>', '```\na\nb\n```'],
    [
      'with buttons and pictures',
      '<pre><button>Copy</button><svg><title>t</title></svg>a</pre>',
      '```\na\n```',
    ],
    ['without code inside', '<pre>plain\n  text</pre>', '```\nplain\n  text\n```'],
    ['with line breaks', '<pre>a<br>b</pre>', '```\na\nb\n```'],
    ['with a fence inside', '<pre><code>```\nx\n```</code></pre>', '````\n```\nx\n```\n````'],
    ['with markup as text', '<pre>&lt;b&gt; *x* &amp;amp;</pre>', '```\n<b> *x* &amp;\n```'],
    [
      'with lines as elements',
      '<pre><div>a</div><div>b</div><div><br></div><div>c</div></pre>',
      '```\na\nb\n\nc\n```',
    ],
    [
      'with lines as spans',
      '<pre><code><span class=line>a</span><span class=line>b</span></code></pre>',
      '```\na\nb\n```',
    ],
    [
      'with numbers in the lines',
      '<pre><span class=lineno>1 </span>a\n<span class=ln>2 </span>b</pre>',
      '```\na\nb\n```',
    ],
    [
      'with numbers beside the lines',
      '<table><tr><td class=gutter><pre>1\n2</pre><td><pre><code class=language-js>a\nb</code></pre></table>',
      '```js\na\nb\n```',
    ],
    [
      'in a table, a row for each line',
      '<table><tr><td class=blob-num data-line-number=1><td>a;<tr><td class=blob-num>2<td>  b;</table>',
      '```\na;\n  b;\n```',
    ],
    ['that counts', '<pre>1\n2</pre>', '```\n1\n2\n```'],
    ['inline, twice', '<code>a</code><code>b</code>', '`ab`'],
    ['inline with a link', '<code>f(<a href=/x>T</a>)</code>', '`f(`[`T`](https://site.test/x)`)`'],
    ['of keys', '<kbd>Ctrl</kbd>+<kbd>C</kbd>', '`Ctrl`+`C`'],
    ['inline', '<p>use <code>_x_</code></p>', 'use `_x_`'],
    ['inline, of two lines', '<p><code>a<br>&nbsp; b</code>', '`a`  \n`  b`'],
    ['inline with a backtick', '<code>a`b</code>', '``a`b``'],
    ['none', '<pre></pre><code></code>x', 'x'],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );
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
    [
      'with a tall cell',
      '<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>1<td>2<td>3</table>',
      '| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| 1 | 2 | 3 |',
    ],
    [
      'with sides',
      '<table><tr><th align=right>a<th style="text-align: center">b<tr><td>1<td>2</table>',
      '| a | b |\n| --: | :-: |\n| 1 | 2 |',
    ],
    ['of one column', '<table><tr><th>a<tr><td>1<tr><td>2</table>', '| a |\n| --- |\n| 1 |\n| 2 |'],
    [
      'of one column that holds blocks',
      '<table><tr><td><p>a</p><p>b</p><tr><td><p>c</p></table>',
      'a\n\nb\n\nc',
    ],
    [
      'with blocks in cells',
      '<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td><h4>h</h4><p>p</p><pre>c\nd</pre></table>',
      '| a | b |\n| --- | --- |\n| x<br>y | **h**<br>p<br>`c`<br>`d` |',
    ],
    [
      'with code that has bars',
      '<table><tr><th>a<th>b<tr><td><code>x|y</code><td>z</table>',
      '| a | b |\n| --- | --- |\n| `x\\|y` | z |',
    ],
    [
      'with blocks in cells that says by its caption or role that it is one',
      '<table><caption>C<tr><td><p>a<ul><li>b</ul><td>c</table><table role=table><tr><td><h3>d</h3><td>e</table>',
      'C\n\n| a<br>b | c |\n| --- | --- |\n\n| **d** | e |\n| --- | --- |',
    ],
    ['said to be none', '<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>', 'a\n\nb\n\nc\n\nd'],
    [
      'that sets an icon beside a text',
      '<table><tr><td class="icon"><i class="fa icon-note" title="Note"></i><td>a</table>',
      'Note\n\na',
    ],
    [
      'that sets a picture beside the rows of a text',
      '<table><tr><td rowspan=2><img src=/n.png alt=Note><th>a<tr><td><p>b</table>',
      '![Note](https://site.test/n.png)\n\na\n\nb',
    ],
    ['with an empty cell', '<table><tr><td><td>a</table>', '|  | a |\n| --- | --- |'],
    ['of large parts', '<table><tr><td><h2>a</h2><td><ul><li>b</ul></table>', '## a\n\n- b'],
    [
      'said to hold data, with a table in a cell',
      '<table role=table><tr><td colspan=2><p>a*b<table><tr><td>1<td>2</table><td></table>',
      '<table>\n<tr>\n<td colspan="2">\n\na\\*b\n\n| 1 | 2 |\n| --- | --- |\n\n</td>\n<td></td>\n</tr>\n</table>',
    ],
    ['that only arrange a page', '<table><tr><td><table><tr><td>in</table><td>x</table>', 'in\n\nx'],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );

  it('limit the number of cells of a huge colspan', () => {
    const table = markdown('<table><tr><th colspan=1000000000>a<th>b<tr><td>1<td>2</table>');
    expect(table).toContain('| a |');
    expect(table.length).toBeLessThan(2_000);
  });
});

describe('marks in a text', () => {
  const rows: Row[] = [
    ['emphasis', '<p><b>a</b> <strong> b </strong><i>c</i><del>d</del></p>', '**a** **b** *c*~~d~~'],
    [
      'that ends in punctuation before a word',
      '<p><b>Note:</b>text a<b>“q”</b>b <i>!</i>c',
      '**Note**:text a“**q**”b !c',
    ],
    ['that cannot end before a word', '<p><b><code>x</code></b>y', '`x`y'],
    ['side by side', '<p><b>a</b><b>b</b><i>c</i>', '**ab***c*'],
    [
      'inside itself',
      '<p><em>a <em>b</em></em> <b><b>c</b></b> d<b>e<b>f</b></b>',
      '*a _b_* **__c__** d**ef**',
    ],
    ['with blanks in it', '<p>a<b> b </b>c<i>&nbsp;</i>d', 'a **b** c d'],
    ['powers', '<p>10<sup>6</sup> 1<sup>st</sup> H<sub>2</sub>O', '10<sup>6</sup> 1st H2O'],
    [
      'signs that mean nothing where they are',
      '<p>a_b 2 * 3 [1] price* ~5 C:\\d a&b x_ 5 < 6',
      'a_b 2 * 3 [1] price* ~5 C:\\d a&b x_ 5 < 6',
    ],
    [
      'signs that what follows makes mean something',
      '<p>[a]<span>(b)</span> !<a href=/x>c</a> *<b>d</b>',
      '[a\\](b) \\![c](https://site.test/x) \\***d**',
    ],
    [
      'signs that marks which are gone stood between',
      '<p><b>[1]</b><b>(b)</b> <i>a&lt;</i>b> <b>&lt;</b>b>',
      '**[1\\](b)** *a*\\<b> \\<b>',
    ],
    [
      'addresses, without a sign inside that would be part of them',
      '<p>http://a.test/_b/~c?d_e=*f*g (www.a.test/_b) HTTPS://a.test/&amp;copy;_b, *c',
      'http://a.test/_b/~c?d_e=*f*g (www.a.test/_b) HTTPS://a.test/&copy;_b, \\*c',
    ],
    [
      'what looks like an address',
      '<p>http://_b_/c http://a_b.c/_d _http://a.test/b_ a.www.b.test/_c <a href=/x>http://a.test/_b</a>',
      'http://\\_b_/c http://a_b.c/\\_d \\_http://a.test/b_ a.www.b.test/\\_c [http://a.test/\\_b](https://site.test/x)',
    ],
    ['what would be a table', '<p>a | b<br>--|--<br>1', 'a | b  \n\\--|--  \n1'],
    ['what would be a definition', '<p>[a]: b', '\\[a]: b'],
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
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );
});

describe('links and images', () => {
  const rows: Row[] = [
    ['over two lines', '<a href="/x">one<br>two</a>', '[one\\\ntwo](https://site.test/x)'],
    ['around blocks', '<a href="/x"><h3>Head</h3><p>Para</p></a>', '### [Head](https://site.test/x)\n\nPara'],
    ['around a heading', '<a href="/x"><h3>Head</h3></a>', '### [Head](https://site.test/x)'],
    ['around a list', '<a href="/x">a<ul><li>b<li>c</ul></a>', '[a\\\nb\\\nc](https://site.test/x)'],
    [
      'around code',
      '<a href="/x">a<pre>b</pre>c</a>',
      '[a](https://site.test/x)\n\n```\nb\n```\n\n[c](https://site.test/x)',
    ],
    [
      'that show their address',
      '<a href="https://a.test/b">https://a.test/b</a> <a href="mailto:a@b.test">a@b.test</a>',
      '<https://a.test/b> <a@b.test>',
    ],
    ['with blanks inside', 'a<a href="/x"> b </a>c', 'a [b](https://site.test/x) c'],
    [
      'with brackets inside',
      '<a href="/x">[1]</a> <a href="/x">a]</a>',
      '[[1]](https://site.test/x) [a\\]](https://site.test/x)',
    ],
    ['in bold', '<b>a <a href="/x">b</a></b>', '**a [b](https://site.test/x)**'],
    ['with an unpaired sign in the address', '<a href="/x)">t</a>', '[t](https://site.test/x\\))'],
    [
      'a picture twice',
      '<img data-src=i.png src=wait.gif alt=a><noscript><img src=i.png alt=a></noscript>',
      '![a](https://site.test/dir/i.png)',
    ],
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
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );

  it('lose data images in markdown only, and only on request', () => {
    const html = '<p>a<img src="data:image/png;base64,AAAA" alt="dot"></p>';
    expect(markdown(html)).toBe('a![dot](<Base64-Image-Removed>)');
    expect(contentOf(html).html).toContain('data:image/png;base64,AAAA');
    expect(markdown(html, { removeBase64Images: false })).toBe('a![dot](data:image/png;base64,AAAA)');
  });
});

it('the places to which links within a document lead are written as markdown', () => {
  const html = '<p><a id="x"></a>a <a id="y"></a>b<p><a href="#x">c</a>';
  const text = toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: true });
  expect(text).toBe('<a id="x"></a>a b\n\n[c](#x)');
});

describe('formulas', () => {
  const rows: Row[] = [
    [
      'of KaTeX',
      '<p>a <span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1 * y</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x1*y</span></span>',
      'a $x_1 * y$',
    ],
    [
      'on lines of their own',
      '<p>a</p><span class=katex-display><span class=katex><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x\n+y</annotation></semantics></math></span></span>b',
      'a\n\n$$\nx\n+y\n$$\n\nb',
    ],
    [
      'of MediaWiki',
      '<span class=mwe-math-element><span class=mwe-math-mathml-inline><math alttext="{\\displaystyle E=mc^{2}}"><mi>E</mi></math></span><img class=mwe-math-fallback-image-inline src=e.svg alt=E></span>',
      '$E=mc^{2}$',
    ],
    [
      'of MathJax 2, not yet shown',
      '<p>a <script type="math/tex">x_1 * y</script></p><script type="math/tex; mode=display">z</script><script>1</script>',
      'a $x_1 * y$\n\n$$\nz\n$$',
    ],
    [
      'of MathJax 2, as shown',
      '<p>a <span class=MathJax_Preview>x</span><span class=MathJax><nobr>x1*y</nobr><span class=MJX_Assistive_MathML><math><mi>x</mi></math></span></span><script type="math/tex">x_1 * y</script></p><div class=MathJax_Display><span class=MathJax>z</span></div><script type="math/tex; mode=display">z</script>',
      'a $x_1 * y$\n\n$$\nz\n$$',
    ],
    [
      'of MathJax 3',
      '<mjx-container display=true><mjx-math><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>',
      '$$\nx^2\n$$',
    ],
    [
      'in MathML alone',
      '<math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>b</mi></msqrt></mfrac><mo>≤</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><msub><mi>α</mi><mi>i</mi></msub><mi>sin</mi><mi>x</mi></math>',
      '$\\frac{a+1}{\\sqrt{b}}\\leq\\sum_{i=0}^n\\alpha_i\\sin x$',
    ],
    [
      'of rows',
      '<math><mfenced open="[" close="]"><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></mfenced></math>',
      '$\\left[\\begin{matrix}1 & 0 \\\\ 0 & 1\\end{matrix}\\right]$',
    ],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html)).toBe(expected),
  );
});

describe('footnotes', () => {
  const rows: Row[] = [
    [
      'of a text',
      '<p>a<sup><a href="#fn1" id=ref1>1</a></sup> b<ol><li id=fn1><p>Note <em>x</em> <a href="#ref1">↩</a></p><p>more</p></ol>',
      'a[^1] b\n\n[^1]: Note *x*\n\n    more',
    ],
    [
      'of an encyclopedia',
      '<p>x<sup id=cite_ref-a><a href="#note-a">[a]</a></sup><ol><li id=note-a><span><b><a href="#cite_ref-a">^</a></b></span> Source</ol>',
      'x[^a]\n\n[^a]: Source',
    ],
    [
      'are no items that do not lead back',
      '<p><a href="#one" id=first>1</a><ol><li id=one>a</ol>',
      '[1](https://site.test/dir/page#one)\n\n1. a',
    ],
  ];
  it.each(rows)('are written as markdown: %s', (_name, html, expected) =>
    expect(markdown(html, { onlyMainContent: false })).toBe(expected),
  );
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

  it('is converted to the same trimmed markdown every time', () => {
    fc.assert(
      fc.property(page, (html) => {
        const first = markdown(html);
        expect(markdown(html)).toBe(first);
        expect(first).toBe(first.trim());
      }),
      propertyRuns(300),
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
