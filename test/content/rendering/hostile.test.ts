import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render } from '../../../src/content/rendering/render.ts';
import { ServiceError } from '../../../src/errors.ts';
import { formatRequest } from '../../../src/schemas/formats.ts';
import { propertyRuns, sampleOf } from '../../support/suite/corpus.ts';
import { DEFAULTS, snapshotOf } from '../html/page.ts';

/**
 * Pages made to take time or memory without end: each gives a result or a typed error, before the test's time
 * is over.
 */

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    price: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    items: { type: 'array', items: { properties: { name: { type: 'string' }, price: { type: 'number' } } } },
  },
};
const EVERYTHING = [
  ...['markdown', 'html', 'rawHtml', 'links', 'images', 'summary', 'product', 'menu'],
  { type: 'question', question: 'How much does the lorem line cost?' },
  { type: 'highlights', query: 'lorem text' },
  { type: 'json', schema },
].map((format) => formatRequest.parse(format));

async function outcome(html: string): Promise<{ markdown: string } | { code: string }> {
  try {
    const { fields } = await render({ snapshot: snapshotOf(html), clean: DEFAULTS, formats: EVERYTHING });
    return { markdown: String(fields.markdown) };
  } catch (error) {
    // Whatever else it throws fails the test.
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code };
  }
}

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('');

describe('a hostile page', () => {
  const TOO_LARGE = { code: 'SCRAPE_CONTENT_TOO_LARGE' };

  const converted: [string, string, RegExp][] = [
    ['deep elements', `${'<div>'.repeat(10_000)}deep`, /^deep$/],
    ['deep quotes', `${'<blockquote>a'.repeat(2_000)}deep`, /deep$/],
    ['deep lists around many lines', `${'<ul><li>'.repeat(400)}${'line<br>'.repeat(5_000)}`, /line$/],
    ['deep marks', `${'<b><i>'.repeat(5_000)}deep`, /deep/],
    ['deep marks around blocks', `${'<b><i>'.repeat(2_000)}${'<p>text</p>'.repeat(2_000)}`, /text/],
    ['tags closed in the wrong order', `${'<a><b><div>'.repeat(2_000)}x${'</a></b>'.repeat(2_000)}`, /x/],
    ['unclosed paragraphs', '<p>a'.repeat(10_000), /a\n\na$/],
    ['unclosed links', '<a href=/x>a'.repeat(8_000), /\]\(https:\/\/site.test\/x\)$/],
    ['what a table may not have', `<table>${'<b>a</b>'.repeat(10_000)}`, /a/],
    ['a long table', `<table>${lines(5_000, (n) => `<tr><td>${n}<td>b`)}</table>`, /\| 4999 \| b \|$/],
    [
      'a table of 50,000 rows',
      `<table>${lines(50_000, (n) => `<tr><td>${n}<td>b`)}</table>`,
      /\| 49999 \| b \|$/,
    ],
    [
      'tall cells over many rows',
      `<table><tr>${'<td rowspan=60000>a'.repeat(2_000)}${'<tr><td>x'.repeat(20_000)}</table>`,
      /\| x \|/,
    ],
    ['a million attributes', `<p ${lines(1_000_000, (n) => `a${n}=1 `)}>x`, /^x$/],
    ['a paragraph of signs that wait', `<p>${'<span>word*</span>'.repeat(100_000)}`, /word\*$/],
    ['codes side by side', `<p>${'<code>a</code>'.repeat(100_000)}`, /a`$/],
    ['marks before words', `<p><b>${'<i>a:</i>x'.repeat(50_000)}`, /x\*\*$/],
    [
      'notes with many ways back',
      `${lines(10_000, (n) => `<a id=r${n} href="#f">1</a> `)}<ol><li id=f>a${lines(10_000, (n) => `<a href="#r${n}">b</a>`)}</ol>`,
      /\[\^1]: a$/,
    ],
    ['deep tables', `${'<table><tr><td>'.repeat(150)}${'<p>x</p>'.repeat(10_000)}`, /x\n\nx$/],
    ['a formula of many signs', `<math>${'<mrow>'.repeat(300)}${'<mi>x</mi>'.repeat(20_000)}`, /^\$x+\$$/],
    ['comments that end wrongly', `${'<!--a--!>'.repeat(100_000)}x`, /^x$/],
    ['a script of 20 MB', `<script>${'if (a < b) { c(); }\n'.repeat(1_000_000)}</script><p>x`, /^x$/],
    ['a wide table', `<table><tr>${'<td>a'.repeat(15_000)}</table>`, /\| a \|/],
    ['a long list', `<ol>${'<li>a'.repeat(20_000)}</ol>`, /20000\. a$/],
    ['many links', lines(15_000, (n) => `<a href="/${n}">${n}</a>`), /site.test\/14999\)$/],
    ['many metas', lines(20_000, (n) => `<meta name="a" content="${n}">`), /^$/],
    ['a long srcset', `<img src=a srcset="${'a 1x,'.repeat(100_000)}">`, /site.test\/dir\/a\)$/],
    ['a srcset of digits', `x<img src=a srcset="a ${'1'.repeat(300_000)}z">`, /^x/],
    ['style of openings', `<p style="${'url('.repeat(200_000)}">x`, /^x$/],
    ['style of blanks', `<p style="url(${' '.repeat(200_000)}x">x`, /^x$/],
    ['a long address', `<a href="${'('.repeat(1_000_000)}">x</a>`, /^x$/],
    ['a long title', `<a href=/x title="${'&quot;'.repeat(200_000)}">x</a>`, /^\[x\]/],
    ['long blanks', `<p>a${' '.repeat(2_000_000)}b<b>${'\u00a0 '.repeat(500_000)}</b>`, /^a b$/],
    ['code of fences', `<pre>${'```\n'.repeat(100_000)}</pre>`, /^````\n/],
    ['many articles in asides', `${'<aside>'.repeat(300)}${'<article>a</article>'.repeat(10_000)}`, /a/],
    ['empty elements', `${'<div>'.repeat(200)}${'</div>'.repeat(200)}`.repeat(100), /^$/],
    ['comments without end', '<!--'.repeat(200_000), /^$/],
    ['script without end', `<script>${'<!--<script>'.repeat(100_000)}`, /^$/],
    [
      'a data image of ten million characters',
      `x<img src="data:image/png;base64,${'A'.repeat(10_000_000)}">`,
      /^x!\[]/,
    ],
    [
      'five million characters of prose',
      '<p>Lorem ipsum dolor sit amet, consectetur.</p>'.repeat(80_000),
      /consectetur\.$/,
    ],
  ];
  it.each(sampleOf(converted, 5, 4))('with %s is converted', async (_name, html, expected) => {
    expect(await outcome(html)).toEqual({ markdown: expect.stringMatching(expected) });
  });

  const refused: [string, string][] = [
    ['tags open without end', '<b>'.repeat(100_000)],
    ['lists open without end', '<ul><li>a'.repeat(100_000)],
    ['marks that are opened again in each paragraph', lines(20_000, (n) => `<b id=${n}>a<p>`)],
    ['20 MB of elements', '<div class="a b" data-x="y"><p>Lorem ipsum</p></div>\n'.repeat(400_000)],
    ['six million characters of text', 'a'.repeat(6_000_000)],
    ['lines in deep quotes', `${'<blockquote>'.repeat(30)}<pre>${'\na'.repeat(1_000_000)}x</pre>`],
  ];
  it.each(sampleOf(refused, 3))('with %s is refused', async (_name, html) => {
    expect(await outcome(html)).toEqual(TOO_LARGE);
  });
});

describe('any page', () => {
  it('gets every format, or an error for the user', async () => {
    const word = fc.constantFrom(
      '<',
      '>',
      '/',
      '=',
      '"',
      "'",
      '&',
      ';',
      'a',
      'table',
      'td',
      'li',
      '!--',
      'svg',
      ' ',
      'style',
      'href',
    );
    const page = fc.oneof(
      fc.array(word, { maxLength: 80 }).map((words) => words.join('')),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(page, async (html) => {
        expect(await outcome(html)).toHaveProperty('markdown');
      }),
      propertyRuns(300),
    );
  });
});
