import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../../src/content/html/parse/parse.ts';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { docx, paragraph, run } from './docx-writer.ts';

const RELATIONSHIPS = 'word/_rels/document.xml.rels';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const link = (id: string, target: string) =>
  `<Relationship Id="${id}" Type="${OFFICE}/hyperlink" Target="${target}" TargetMode="External"/>`;
const related = (relationships: string) => ({
  [RELATIONSHIPS]: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationships}</Relationships>`,
});
const convert = (body: string, more: Record<string, string> = {}) =>
  convertOffice({ type: 'docx', images: false }, docx(body, '', more));
const htmlOf = async (body: string, more: Record<string, string> = {}) => (await convert(body, more)).html;
const markdownOf = async (body: string) =>
  toMarkdown(parseHtml(await htmlOf(body)), { removeBase64Images: false, tidy: true });

describe('content controls of a Word document', () => {
  const row = (...cells: string[]) =>
    `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(run(cell))}</w:tc>`).join('')}</w:tr>`;
  const control = (content: string, properties = '') =>
    `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
  const table = (rows: string) => `<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>${rows}</w:tbl>`;

  test('keep their rows, also those of repeating sections', async () => {
    const rows = control(control(row('Apples', '1.20')) + control(row('Pears', '2.30')), '<w:id w:val="1"/>');
    const html = await htmlOf(table(row('Name', 'Price') + rows + row('Total', '3.50')));
    expect([...html.matchAll(/<td>([^<]*)<\/td>/g)].map(([, text]) => text)).toEqual([
      'Apples',
      '1.20',
      'Pears',
      '2.30',
      'Total',
      '3.50',
    ]);
  });

  test('keep their cells, blocks and words, also in custom XML', async () => {
    const cell = control(`<w:tc>${paragraph(run('in a control'))}</w:tc>`);
    const custom = `<w:customXml w:element="x"><w:customXmlPr/>${row('custom', 'XML')}</w:customXml>`;
    const html = await htmlOf(
      control(paragraph(run('Block'))) +
        paragraph(run('a ') + control(run('word')) + run(' more')) +
        table(`<w:tr><w:tc>${paragraph(run('A cell'))}</w:tc>${cell}</w:tr>${custom}`),
    );
    expect(html).toContain('<p>Block</p>\n<p>a word more</p>');
    expect(html).toContain('<th>A cell</th><th>in a control</th>');
    expect(html).toContain('<td>custom</td><td>XML</td>');
  });
});

describe('files in other formats within a Word document', () => {
  const chunkOf = async (name: string, content: string, type = 'aFChunk') =>
    convert(`${paragraph(run('main'))}<w:altChunk r:id="c" xmlns:r="${OFFICE}"/>`, {
      ...related(`<Relationship Id="c" Type="${OFFICE}/${type}" Target="${name}"/>`),
      [`word/${name}`]: content,
    });

  test.each([
    ['HTML', 'chunk.html', '<html><body><h1>Head</h1><script>x</script><p>Größe</p></body></html>'],
    [
      'a web archive',
      'chunk.mht',
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b; type="text/html"\r\n\r\n--b\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<h1>Head</h1><p>Gr=C3=B6=C3=9Fe</p>\r\n--b--\r\n',
    ],
  ])('are read as %s', async (_, name, content) => {
    const { html, warnings } = await chunkOf(name, content);
    expect(html.replace(/\s+$/, '')).toBe('<p>main</p>\n<h1>Head</h1><p>Größe</p>');
    expect(warnings).toEqual([]);
  });

  test('are read as RTF and text', async () => {
    expect((await chunkOf('a.rtf', '{\\rtf1\\ansi Inner {\\b bold}\\par}')).html).toBe(
      '<p>main</p>\n<p>Inner <strong>bold</strong></p>',
    );
    expect((await chunkOf('a.txt', 'One <b>\n\nTwo')).html).toBe(
      '<p>main</p>\n<p>One &lt;b&gt;</p>\n<p>Two</p>',
    );
  });

  test('are warned of where they cannot be read', async () => {
    const { html, warnings } = await chunkOf('a.bin', 'x\0\0\0y');
    expect(html).toBe('<p>main</p>');
    expect(warnings).toEqual([expect.stringContaining('altChunk')]);
  });
});

describe('links of a Word document', () => {
  test('keep their fragments, which Word stores apart', async () => {
    const body = paragraph(
      `<w:hyperlink r:id="a" w:anchor="section-2" xmlns:r="${OFFICE}">${run('the section')}</w:hyperlink>`,
    );
    const html = await htmlOf(body, related(link('a', 'https://example.test/page?a=1&amp;b=2')));
    expect(html).toBe('<p><a href="https://example.test/page?a=1&amp;b=2#section-2">the section</a></p>');
  });

  test('within the document, and with a fragment in the URL, stay as they are', async () => {
    const body = paragraph(
      `<w:hyperlink r:id="a" w:anchor="x" xmlns:r="${OFFICE}">${run('one')}</w:hyperlink><w:hyperlink w:anchor="y">${run(' two')}</w:hyperlink>`,
    );
    const html = await htmlOf(body, related(link('a', 'https://example.test/#top')));
    expect(html).toBe('<p><a href="https://example.test/#top">one</a> <a href="#y">two</a></p>');
  });

  const picture = (description: string, click = '') =>
    `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="P" descr="${description}">${click}</wp:docPr><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="i" xmlns:r="${OFFICE}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  const PARTS = {
    ...related(
      `${link('a', 'https://example.test/pic')}<Relationship Id="i" Type="${OFFICE}/image" Target="i.png"/>`,
    ),
    'word/i.png': 'x',
  };

  test('are kept where they belong to a picture', async () => {
    const click = `<a:hlinkClick xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}" r:id="a"/>`;
    expect(await htmlOf(paragraph(run('See ') + picture('A box', click)), PARTS)).toBe(
      '<p>See <a href="https://example.test/pic">A box</a></p>',
    );
  });

  test('and alternative texts stand apart from the words around them', async () => {
    const body = paragraph(
      run('logo') + picture('A red box') + run('is ours, (') + picture('dot') + run(').'),
    );
    expect(await htmlOf(body, PARTS)).toBe('<p>logo A red box is ours, (dot).</p>');
  });
});

describe('paragraphs of a Word document', () => {
  test('begin with their large first letter', async () => {
    const cap = `<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>${run('O')}</w:p>`;
    expect(await htmlOf(cap + paragraph(run('nce upon a time')) + paragraph(run('End')))).toBe(
      '<p>Once upon a time</p>\n<p>End</p>',
    );
  });

  const deleted = (text: string) =>
    `<w:p><w:pPr><w:jc w:val="left"/><w:rPr><w:del w:id="7" w:author="A"/></w:rPr></w:pPr>${run(text)}</w:p>`;

  test('continue behind an end that a tracked change deletes', async () => {
    const body =
      deleted('one ') + deleted('two ') + paragraph(run('three'), 'Heading1') + paragraph(run('x'));
    expect(await htmlOf(body)).toBe('<h1>one two three</h1>\n<p>x</p>');
  });

  test('stay where nothing follows their deleted end', async () => {
    const table = `<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>${paragraph(run('cell'))}</w:tc></w:tr><w:tr><w:trPr><w:del w:id="8" w:author="A"/></w:trPr><w:tc>${paragraph('')}</w:tc></w:tr></w:tbl>`;
    expect(await htmlOf(deleted('one') + table)).toBe(
      '<p>one</p>\n<table>\n<tr><th>cell</th></tr>\n</table>',
    );
  });
});

test('headers and footers of the pages of a Word document are no main content', async () => {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const reference = (kind: string, type: string, id: string) =>
    `<w:${kind}Reference w:type="${type}" r:id="${id}" xmlns:r="${OFFICE}"/>`;
  const section = `<w:sectPr>${reference('header', 'default', 'h')}${reference('header', 'even', 'e')}${reference('footer', 'default', 'f')}</w:sectPr>`;
  const part = (id: string, kind: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${id}.xml"/>`;
  const html = await htmlOf(paragraph(run('body')) + section, {
    ...related(part('h', 'header') + part('e', 'header') + part('f', 'footer')),
    'word/h.xml': `<w:hdr ${word}>${paragraph(`${run('Annual')}<w:r><w:tab/></w:r>${run('report &amp; plan')}`)}</w:hdr>`,
    'word/e.xml': `<w:hdr ${word}>${paragraph(run('never shown'))}</w:hdr>`,
    'word/f.xml': `<w:ftr ${word}>${paragraph(`${run('Secret, page ')}<w:fldSimple w:instr=" PAGE ">${run('7')}</w:fldSimple>`)}</w:ftr>`,
  });
  expect(html).toBe(
    '<p data-page-role="header">Annual report &amp; plan</p>\n<p>body</p>\n<p data-page-role="footer">Secret, page</p>',
  );
});

test('a Word document is read whose archive has names with backslashes', async () => {
  const file = docx(paragraph(run('main')));
  const names = file
    .toString('latin1')
    .replaceAll(/(?:word|_rels)(?:\/\w+)*\/[\w.]+/g, (name) =>
      name.includes('<') ? name : name.replaceAll('/', '\\'),
    );
  const { html } = await convertOffice({ type: 'docx', images: false }, Buffer.from(names, 'latin1'));
  expect(html).toBe('<p>main</p>');
});

describe('formulas of a Word document', () => {
  const MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
  const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const accent = (text: string, character?: string) =>
    `<m:acc>${character ? `<m:accPr><m:chr m:val="${character}"/></m:accPr>` : ''}<m:e>${r(text)}</m:e></m:acc>`;
  const formula = (content: string) => markdownOf(paragraph(`<m:oMath ${MATH}>${content}</m:oMath>`));

  test('have their accents and lone braces in TeX', async () => {
    expect(
      await formula(`${accent('x')}${accent('y', '\u0303')}${accent('v', '\u20d7')}${accent('z', '\u0308')}`),
    ).toBe('$\\hat{x}\\tilde{y}\\vec{v}\\ddot{z}$');
    const cases = `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e><m:eqArr><m:e>${r('1')}</m:e><m:e>${r('0')}</m:e></m:eqArr></m:e></m:d>`;
    expect(await formula(r('f=') + cases)).toBe(
      '$f=\\left\\{\\begin{matrix} 1 \\\\ 0 \\end{matrix}\\right.$',
    );
    const limit = `<m:limLow><m:e>${r('lim')}</m:e><m:lim>${r('n→∞')}</m:lim></m:limLow>`;
    expect(await formula(limit)).toBe('$\\lim_{n\\to\\infty}$');
  });

  const field = (code: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> EQ ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  test.each([
    ['\\f(a+1,2)', '\\frac{a+1}{2}'],
    ['\\r(3,x)', '\\sqrt[3]{x}'],
    ['\\r(,\\f(1,2))', '\\sqrt{\\frac{1}{2}}'],
    ['x\\s\\up8(2)', 'x{}^2'],
    ['\\i\\su(i=1,n,i)', '\\sum_{i=1}^ni'],
    ['\\b\\bc\\[(\\a\\al\\co2(1,2,3,4))', '[\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}]'],
    ['\\b\\lc\\{(\\a(1;0))', '\\left\\{\\begin{matrix} 1 \\\\ 0 \\end{matrix}\\right.'],
  ])('are read from the field EQ %s', async (code, tex) => {
    expect(await markdownOf(paragraph(run('so ') + field(code) + run(' end')))).toBe(`so $${tex}$ end`);
  });
});

test('the encoding of a text in a Word document is found', async () => {
  const html = await htmlOf(`<w:altChunk r:id="c" xmlns:r="${OFFICE}"/>`, {
    ...related(`<Relationship Id="c" Type="${OFFICE}/aFChunk" Target="c.html"/>`),
    'word/c.html': iconv.encode('<meta charset="windows-1251"><p>Привет</p>', 'windows-1251') as never,
  });
  expect(html).toBe('<p>Привет</p>');
});
