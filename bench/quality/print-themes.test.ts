import { expect, it } from 'vitest';
import { printedHtml, themeOf } from './print-themes.ts';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

it('the theme of a printed manual follows from its seed', () => {
  for (const seed of SEEDS) expect(themeOf(seed)).toEqual(themeOf(seed));
  expect(new Set(SEEDS.map((seed) => themeOf(seed).summary)).size).toBe(SEEDS.length);
});

it('the themes for tuning and for checking have all numbers of columns, and PDFs with and without tags', () => {
  for (const rest of [0, 1]) {
    const themes = SEEDS.filter((seed) => seed % 2 === rest).map(themeOf);
    for (const columns of [1, 2, 3])
      expect(themes.some(({ summary }) => summary.startsWith(`${columns} col.`))).toBe(true);
    for (const tagged of [true, false]) expect(themes.some((theme) => theme.tagged === tagged)).toBe(true);
  }
});

it('no theme has a number or rule that could not be computed', () => {
  for (const seed of SEEDS) expect(themeOf(seed).css).not.toMatch(/NaN|undefined/);
});

it('what a theme prints has the numbers and capitals of its headings, and no link without an absolute URL', () => {
  const html = `<h1>Tool</h1><h2>Use</h2><h3>Here &amp; <em>there</em></h3><h4>Now</h4><h2>End</h2>
<p><a href="#use">up</a> <a href="https://a.test">out</a></p><pre><code class="language-js">a</code></pre>`;
  const printed = (traits: object) => printedHtml(html, { ...themeOf(0), ...traits });
  expect(
    printed({ isNumbered: true, hasCapitals: true }),
  ).toBe(`<h1>TOOL</h1><h2>1. USE</h2><h3>1.1 HERE &amp; <em>THERE</em></h3><h4>1.1.1 NOW</h4><h2>2. END</h2>
<p>up <a href="https://a.test">out</a></p><pre><code>a</code></pre>`);
  expect(printed({ isNumbered: false, hasCapitals: false })).toContain('<h2>Use</h2>');
});
