import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../../src/content/html/parse/parse.ts';
import { DocumentError } from '../../../../src/content/parsers/document-error.ts';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { docx, paragraph, run } from './docx-writer.ts';

const MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';

async function htmlOf(body: string, more: Record<string, string> = {}): Promise<string> {
  return (await convertOffice({ type: 'docx', images: false }, docx(body, '', more))).html;
}
const markdownOf = (html: string) => toMarkdown(parseHtml(html), { removeBase64Images: false, tidy: true });

describe('lists of a Word document', () => {
  const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const level = (format: string, left: number) =>
    `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="${left}"/></w:pPr></w:lvl>`;
  const numbering = (lists: [format: string, left: number][]) =>
    `<w:numbering ${WORD}>${lists.map(([format, left], id) => `<w:abstractNum w:abstractNumId="${id}">${level(format, left)}</w:abstractNum>`).join('')}${lists.map((_, id) => `<w:num w:numId="${id + 1}"><w:abstractNumId w:val="${id}"/></w:num>`).join('')}</w:numbering>`;
  const item = (text: string, list: number, properties = '') =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr>${properties}</w:pPr>${run(text)}</w:p>`;
  const parts = (...lists: [format: string, left: number][]) => ({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/></Types>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>`,
    'word/numbering.xml': numbering(lists),
  });

  test('of their own that are indented more belong to the item before them', async () => {
    const body = [item('One', 1), item('Inner', 2), item('Innermost', 3), item('Two', 1)].join('');
    const html = await htmlOf(body, parts(['decimal', 360], ['bullet', 720], ['decimal', 1080]));
    expect(markdownOf(html)).toBe('1. One\n   - Inner\n     1. Innermost\n2. Two');
  });

  test('with an indent of a paragraph, which counts more than that of the list', async () => {
    const indent = '<w:ind w:left="1440"/>';
    const html = await htmlOf(
      [item('One', 1), item('Inner', 2, indent)].join(''),
      parts(['bullet', 720], ['decimal', 720]),
    );
    expect(markdownOf(html)).toBe('- One\n  1. Inner');
  });

  test('have boxes that are ticked or not if these are their labels', async () => {
    const numberings = parts(['bullet', 720], ['bullet', 720]);
    const [empty, ticked] = ['☐', '☒'];
    const labelled = numberings['word/numbering.xml']
      .replace('w:lvlText w:val="%1."', `w:lvlText w:val="${empty}"`)
      .replace('w:lvlText w:val="%1."', `w:lvlText w:val="${ticked}"`);
    const html = await htmlOf([item('newsletter', 1), item('terms', 2)].join(''), {
      ...numberings,
      'word/numbering.xml': labelled,
    });
    expect(html).toMatch(/<input type="checkbox" disabled> newsletter/);
    expect(html).toMatch(/<input type="checkbox" checked disabled> terms/);
  });

  test('that are indented equally stay apart', async () => {
    const html = await htmlOf(
      [item('One', 1), item('Other', 2)].join(''),
      parts(['bullet', 720], ['decimal', 720]),
    );
    expect(markdownOf(html)).toBe('- One\n\n1. Other');
  });
});

describe('hidden text of a Word document', () => {
  test('is left out, unless a tracked change has shown it', async () => {
    const hidden = paragraph(run('secret', '<w:vanish/>'));
    const shown = run(
      'public',
      '<w:rPrChange w:id="1" w:author="a"><w:rPr><w:vanish/></w:rPr></w:rPrChange>',
    );
    const visible = run(' text', '<w:vanish w:val="0"/>');
    expect(await htmlOf(hidden + paragraph(shown + visible))).toBe('<p>public text</p>');
  });
});

describe('text of a Word document that is no plain text', () => {
  test('has its symbols, hyphens, and the text below a pronunciation guide', async () => {
    const symbol = (font: string, code: string) => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;
    const ruby = `<w:r><w:ruby><w:rubyPr/><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>`;
    const hyphen = '<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>';
    const body = [
      ruby,
      run(' '),
      hyphen,
      run(' '),
      symbol('Wingdings', 'F0FC'),
      symbol('Symbol', 'F0B1'),
      symbol('Unknown', 'F0B1'),
    ];
    expect(await htmlOf(paragraph(body.join('')))).toBe('<p>東京 a-b ✓±</p>');
  });

  test.each([
    ['<w:ruby><w:rubyBase>'],
    ['<w:ruby>'],
    ['<w:rubyBase>'],
    ['<m:oMath>'],
    ['<m:oMath '],
    ['<m:oMathParaPr>'],
    ['<w:sym '],
  ])('is bounded where %s is opened a hundred thousand times', async (element) => {
    // In quadratic time, this would take minutes.
    const body = paragraph(`${run('Text')}<w:r>${element.repeat(100_000)}</w:r>`);
    const outcome = await htmlOf(body).catch((error: unknown) => error);
    if (outcome !== '<p>Text</p>') expect(outcome).toBeInstanceOf(DocumentError);
  });
});

describe('formulas of a Word document', () => {
  const text = (content: string) => `<m:r><m:t>${content}</m:t></m:r>`;
  const word = (content: string) => `<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>${content}</m:t></m:r>`;
  const formula = (content: string) => `<m:oMath ${MATH}>${content}</m:oMath>`;

  test.each([
    [
      'fractions and roots',
      `<m:f><m:num>${text('a+b')}</m:num><m:den>${text('2')}</m:den></m:f>${text('=')}<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${text('x')}</m:e></m:rad>`,
      '$\\frac{a+b}{2}=\\sqrt{x}$',
    ],
    [
      'scripts',
      `<m:sSubSup><m:e>${text('x')}</m:e><m:sub>${text('i')}</m:sub><m:sup>${text('2')}</m:sup></m:sSubSup>`,
      '$x_i^2$',
    ],
    [
      'sums with limits',
      `<m:nary><m:naryPr><m:chr m:val="∑"/><m:limLoc m:val="undOvr"/></m:naryPr><m:sub>${text('i=1')}</m:sub><m:sup>${text('n')}</m:sup><m:e>${text('i')}</m:e></m:nary>`,
      '$\\sum_{i=1}^n i$',
    ],
    [
      'brackets around matrices',
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr><m:e>${text('1')}</m:e><m:e>${text('0')}</m:e></m:mr><m:mr><m:e>${text('0')}</m:e><m:e>${text('1')}</m:e></m:mr></m:m></m:e></m:d>`,
      'matrix',
    ],
    ['functions', `<m:func><m:fName>${word('sin')}</m:fName><m:e>${text('x')}</m:e></m:func>`, '\\sin'],
  ])('with %s stand in their place as TeX', async (_name, content, expected) => {
    const html = await htmlOf(paragraph(`${run('Let ')}${formula(content)}${run(' hold.')}`));
    expect(html).toMatch(/^<p>Let <math>.*<\/math> hold\.<\/p>$/);
    expect(markdownOf(html).replace(/\s+/g, '')).toContain(expected.replace(/\s+/g, ''));
  });

  test('in a paragraph of their own stay there', async () => {
    const own = `<m:oMathPara ${MATH}><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr>${formula(text('a<b').replace('<b', '&lt;b'))}</m:oMathPara>`;
    expect(await htmlOf(paragraph(run('Before')) + paragraph(own))).toBe(
      '<p>Before</p>\n<p><math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math></p>',
    );
  });

  test('that are nested a thousand levels deep are bounded', async () => {
    const nested = `${'<m:rad><m:e>'.repeat(1000)}${text('x')}${'</m:e></m:rad>'.repeat(1000)}`;
    const html = await htmlOf(paragraph(run('Let ') + formula(nested)));
    expect(html.length).toBeLessThan(5000);
    expect(html).toContain('<msqrt>');
  });
});
