import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../../src/content/html/parse/parse.ts';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { writeZip } from '../zip-writer.ts';
import { writeEpub } from './package-writers.ts';

const convert = (chapters: string[], images = false, more: Record<string, string> = {}) =>
  convertOffice({ type: 'epub', images }, writeEpub(chapters, more));
async function markdownOf(...chapters: string[]): Promise<string> {
  const { html } = await convert(chapters);
  const markdown = toMarkdown(parseHtml(html), { removeBase64Images: false, tidy: true });
  return markdown.replace(/^# My book\n\n/, '');
}

describe('an e-book', () => {
  test('has its lists of terms, readings of characters, formulas and code', async () => {
    expect(
      await markdownOf(
        '<div><dl><dt>Term A</dt><dd>Definition of A</dd><dt>Term B</dt><dd><p>Definition of B</p></dd></dl></div>',
      ),
    ).toBe('Term A\n: Definition of A\n\nTerm B\n: Definition of B');
    expect(await markdownOf('<p><ruby>漢<rt>かん</rt></ruby>字</p>')).toBe('漢(かん)字');
    expect(
      await markdownOf(
        '<p>E: <m:math xmlns:m="x"><m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac></m:math></p>',
      ),
    ).toBe('E: $\\frac{a}{b}$');
    expect(await markdownOf('<pre><code class="language-js">x = 1\n  y</code></pre>')).toBe(
      '```js\nx = 1\n  y\n```',
    );
  });

  test('has its check boxes as they are ticked', async () => {
    const box = (attributes: string, label: string) =>
      `<li><label><input type="checkbox"${attributes}/> ${label}</label></li>`;
    const list = `<ul>${box('', 'newsletter')}${box(' checked="checked"', 'terms')}</ul>`;
    expect(await markdownOf(list)).toBe('- [ ] newsletter\n- [x] terms');
  });

  test('has its notes as notes, on whatever page they are', async () => {
    const markdown = await markdownOf(
      '<h1>One</h1><p>Para<a epub:type="noteref" href="#n1">1</a> and<sup><a href="c1.xhtml#n2">2</a></sup>.</p><aside epub:type="footnote" id="n1"><p>Note text. <a href="#r">↩</a></p></aside>',
      '<h2>Notes</h2><p id="n2">2. Endnote <i>body</i></p><p>After</p>',
    );
    expect(markdown).toBe(
      '# One\n\nPara[^1] and[^2].\n\n## Notes\n\nAfter\n\n[^1]: Note text.\n\n[^2]: Endnote *body*',
    );
  });

  test('has links that lead to places of the result, and loses others', async () => {
    const { html } = await convert([
      '<p><a href="c1.xhtml">whole page</a>, <a href="c1.xhtml#p">place</a>, <a href="gone.xhtml">gone</a>, <a href="https://example.test/x#y">web</a></p>',
      '<p id="p">Here <a href="../OEBPS/c0.xhtml">back</a></p>',
    ]);
    const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target);
    expect(targets).toHaveLength(3);
    for (const target of targets) expect(html).toContain(`id="${target}"`);
    expect(html).toContain('<a>gone</a>');
    expect(html).toContain('<a href="https://example.test/x#y">web</a>');
  });

  test('has its pictures if they are wanted, and else their alternative texts apart from words', async () => {
    const body = ['<p>See<img src="i.png" alt="a dot"/>here, and<svg><image xlink:href="i.png"/></svg></p>'];
    expect((await convert(body)).html).toContain('<p>See a dot here, and</p>');
    const { html, images } = await convert(body, true);
    expect(html).toContain('See<img src="document-image:0" alt="a dot">here');
    expect(images).toHaveLength(1);
  });

  test('loses scripts, styles, comments and the numbers of printed pages', async () => {
    const { html } = await convert([
      '<style>p{}</style><script>x</script><!-- c --><p onclick="x()">One<span epub:type="pagebreak">12</span></p>',
    ]);
    expect(html).toBe('<h1>My book</h1>\n<a id="page-1"></a><p>One</p>');
  });

  test('without a list of pages, or with encrypted ones, is refused', async () => {
    const damaged = writeZip({ mimetype: 'application/epub+zip', 'a.xhtml': '<p>x</p>' });
    await expect(convertOffice({ type: 'epub', images: false }, damaged)).rejects.toMatchObject({
      fault: 'damaged',
    });
    const encryption = '<encryption><CipherReference URI="OEBPS/c0.xhtml"/></encryption>';
    await expect(
      convert(['<p>x</p>'], false, { 'META-INF/encryption.xml': encryption }),
    ).rejects.toMatchObject({ fault: 'password' });
  });

  test('has a warning for pages that are missing', async () => {
    const { html, warnings } = await convert(['<p>One</p>'], false, {
      'OEBPS/content.opf':
        '<package><manifest><item id="a" href="c0.xhtml" media-type="application/xhtml+xml"/><item id="b" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    });
    expect(html).toContain('<p>One</p>');
    expect(warnings).toEqual(['Some pages of the e-book are damaged or missing.']);
  });
});
