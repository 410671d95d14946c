import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../../src/content/html/parse/parse.ts';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { writeOpenDocument } from './package-writers.ts';

const square =
  '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow onclick="bad()"><msup><mi>c</mi><mn>2</mn></msup><mo>&lt;</mo><mi>x</mi></mrow><annotation encoding="StarMath 5.0">c^2 &lt; x</annotation></semantics></math>';
const frame = (object: string) =>
  `<draw:frame draw:name="f"><draw:object xlink:type="simple" xlink:href="./${object}"/></draw:frame>`;

async function convert(type: 'odt' | 'odp', body: string, object = square) {
  const kind = type === 'odt' ? 'text' : 'presentation';
  const file = writeOpenDocument(kind, body, { parts: { 'Object 1/content.xml': object } });
  return (await convertOffice({ type, images: false }, file)).html;
}

describe('formulas of OpenDocument files', () => {
  test('stand in their place in the text as MathML, which markdown writes as TeX', async () => {
    const html = await convert('odt', `<text:p>Let ${frame('Object 1')} hold.</text:p>`);
    expect(html).toBe(
      '<p>Let <math><mrow><msup><mi>c</mi><mn>2</mn></msup><mo>&lt;</mo><mi>x</mi></mrow></math> hold.</p>',
    );
    expect(toMarkdown(parseHtml(html), { removeBase64Images: false, tidy: true })).toBe('Let $c^2<x$ hold.');
  });

  test('have their paragraph of a slide', async () => {
    const html = await convert('odp', `<draw:page>${frame('Object 1')}</draw:page>`);
    expect(html).toContain('<msup><mi>c</mi><mn>2</mn></msup>');
  });

  test('that are missing, damaged or no formulas leave the text as it is', async () => {
    const body = `<text:p>Let ${frame('Object 1')}${frame('Object 2')}${frame('../../etc')} hold.</text:p>`;
    expect(await convert('odt', body, '<office:document-content/>')).toBe('<p>Let  hold.</p>');
    expect(await convert('odt', body, '<math><mi>a<mi')).toContain('<math><mi>a');
  });

  test('that are large and used many times are bounded', async () => {
    const object = `<math>${'<mi>a</mi>'.repeat(20_000)}</math>`;
    const html = await convert('odt', `<text:p>${frame('Object 1').repeat(100)} end</text:p>`, object);
    expect(html).toContain('end');
    expect(html).toContain('<mi>a</mi>');
    expect(html.length).toBeLessThan(10_000_000);
  });
});

describe('charts of OpenDocument files', () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const chart = `<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales &amp; cost</text:p></chart:title><chart:plot-area><chart:axis><chart:title><text:p>Year</text:p></chart:title></chart:axis></chart:plot-area><table:table table:name="local-table"><table:table-header-rows><table:table-row>${cell('')}<table:table-cell><text:p>North</text:p><draw:g><svg:desc>B1:B3</svg:desc></draw:g></table:table-cell></table:table-row></table:table-header-rows><table:table-rows><table:table-row>${cell('2024')}${cell('9.1')}</table:table-row><table:table-row>${cell('2025')}${cell('NaN')}</table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>`;
  const table =
    '<p><strong>Sales &amp; cost</strong></p>\n<table>\n<tr><th></th><th>North</th></tr>\n<tr><td>2024</td><td>9.1</td></tr>\n<tr><td>2025</td><td></td></tr>\n</table>';

  test('are their titles and tables of their values', async () => {
    const body = `<text:p>Before</text:p><text:p>${frame('Object 1')}</text:p><text:p>After</text:p>`;
    expect(await convert('odt', body, chart)).toBe(`<p>Before</p>\n${table}\n<p>After</p>`);
    expect(await convert('odp', `<draw:page>${frame('Object 1')}</draw:page>`, chart)).toContain(table);
  });

  test('in a line of text stand below it in markdown', async () => {
    const html = await convert('odt', `<text:p>See ${frame('Object 1')}</text:p>`, chart);
    expect(toMarkdown(parseHtml(html), { removeBase64Images: false, tidy: true })).toBe(
      'See\n\n**Sales & cost**\n\n|  | North |\n| --- | --- |\n| 2024 | 9.1 |\n| 2025 |  |',
    );
  });
});

describe('texts in OpenDocument files', () => {
  test('have no comments and no hidden text', async () => {
    const comment =
      '<office:annotation office:name="c"><dc:creator>Bob</dc:creator><text:p>Really?</text:p></office:annotation>';
    const body = `<text:p>Paid${comment} in <text:span text:style-name="H">not </text:span>full<office:annotation-end office:name="c"/>.</text:p>`;
    const styles =
      '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>';
    const file = writeOpenDocument('text', body, { styles });
    const { html } = await convertOffice({ type: 'odt', images: false }, file);
    expect(html.replace(/ +/g, ' ')).toBe('<p>Paid in full.</p>');
  });

  test('keep the paragraphs in drawn shapes apart', async () => {
    const shape =
      '<draw:custom-shape svg:width="2in"><text:p>In a</text:p><text:p>box</text:p><draw:enhanced-geometry/></draw:custom-shape>';
    expect(await convert('odt', `<text:p>Before ${shape}after</text:p><draw:custom-shape/>`)).toBe(
      '<p>Before after</p>\n<p>In a</p>\n<p>box</p>',
    );
  });

  test('have numbered paragraphs, and no pronunciation guides', async () => {
    const ruby =
      '<text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>';
    const body = `<text:numbered-paragraph text:level="1"><text:p>${ruby}</text:p></text:numbered-paragraph>`;
    expect(await convert('odt', body)).toBe('<ul><li>漢字</li></ul>');
  });

  test('with unclosed comments and shapes end', async () => {
    const body = `<text:p>Text</text:p>${'<office:annotation><draw:custom-shape a="'.repeat(20_000)}`;
    await expect(convert('odt', body)).rejects.toThrow(/too deeply nested/);
  });
});
