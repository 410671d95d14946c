import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadMarkdownConverter } from '../../../src/content/html/markdown-converter.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { articlePage } from '../../site/article.ts';
import { STATIC_SHAPES, shapePage } from '../../site/shapes.ts';
import { compareWords } from '../../support/documents/markdown-words.ts';

const words = fc.constantFrom(
  'river',
  'Größe',
  '漢字',
  '3.5',
  'a*b',
  'x_y',
  '1. one',
  '# two',
  '<tag>',
  'one | two',
);
const text = words.map((word) => word.replace(/</g, '&lt;'));
const inline = fc
  .tuple(fc.constantFrom('b', 'i', 'code', 'a href="/x"', 'span', 'del'), text)
  .map(([tag, inside]) => ` <${tag}>${inside}</${tag.split(' ')[0]}> `);
const line = fc.array(fc.oneof(text, inline), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));
const block = fc.oneof(
  line.map((inside) => `<p>${inside}</p>`),
  line.map((inside) => `<h2>${inside}</h2>`),
  line.map((inside) => `<blockquote><p>${inside}</p></blockquote>`),
  line.map((inside) => `<pre><code>${inside}</code></pre>`),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((items) => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`),
  fc
    .array(fc.tuple(line, line), { minLength: 1, maxLength: 4 })
    .map(
      (rows) =>
        `<table><tr><th>first</th><th>second</th></tr>${rows.map(([one, other]) => `<tr><td>${one}</td><td>${other}</td></tr>`).join('')}</table>`,
    ),
);

describe('the markdown of Winnow and of Turndown', () => {
  it('has the same words in the same order for generated documents', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), (blocks) => {
        expect(compareWords(blocks.join('\n'))).toBeUndefined();
      }),
      { numRuns: 150, seed: 1 },
    );
  });

  it('has the same words in the same order for articles of the test site', () => {
    for (let n = 0; n < 3; n++)
      expect(compareWords(articlePage(n, 'http://site.test').toString())).toBeUndefined();
  });

  it.each(Object.entries(STATIC_SHAPES))(
    'has the same words in the same order for a page of shape %s',
    (_name, shape) => {
      expect(compareWords(shapePage(shape, 1))).toBeUndefined();
    },
  );
});

describe('WINNOW_MARKDOWN=turndown', () => {
  const convert = async (html: string) => {
    const toMarkdown = await loadMarkdownConverter('turndown');
    return toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: true });
  };

  it('writes tables, strikethrough and task lists of GitHub', async () => {
    const html =
      '<table><tr><th>a</th><th colspan="2">b</th></tr><tr><td>1|2</td><td>3<br>4</td><td>5</td></tr></table>' +
      '<p><del>old</del></p><ul><li><input type="checkbox" checked>done</li></ul>';
    expect(await convert(html)).toBe(
      [
        '| a | b |  |',
        '| --- | --- | --- |',
        '| 1\\|2 | 3<br>4 | 5 |',
        '',
        '~~old~~',
        '',
        '-   [x] done',
      ].join('\n'),
    );
  });

  it('writes the cells of a layout table as paragraphs', async () => {
    const html = '<table><tr><td>menu</td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>';
    expect(await convert(html)).toBe('menu\n\n| a | b |\n| --- | --- |');
  });

  it('replaces data: images with a placeholder and leaves out scripts', async () => {
    const html = '<p>text <img alt="dot" src="data:image/gif;base64,AAAA"></p><script>alert(1)</script>';
    expect(await convert(html)).toBe('text ![dot](<Base64-Image-Removed>)');
  });
});
