import { describe, expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { writeZip } from '../zip-writer.ts';
import { docx, paragraph, run } from './docx-writer.ts';
import { CHART, relationships } from './package-writers.ts';

const htmlOf = async (body: string) => (await convertOffice({ type: 'docx', images: true }, docx(body))).html;

describe('a docx file', () => {
  test('keeps its headings, emphasis, inline code and superscripts', async () => {
    const html = await htmlOf(
      paragraph(run('Title'), 'Heading1') +
        paragraph(
          run('Run ') +
            run('npm ci', '<w:rStyle w:val="Verb"/>') +
            run(' in 10') +
            run('3', '<w:vertAlign w:val="superscript"/>') +
            run(' places', '<w:b/>'),
        ),
    );
    expect(html).toBe(
      '<h1>Title</h1>\n<p>Run <code>npm ci</code> in 10<sup>3</sup> <strong>places</strong></p>',
    );
  });

  test('has one emphasis around neighbours that share it, links and inline code included', async () => {
    const html = await htmlOf(
      paragraph(
        run('Note: ', '<w:i/>') +
          run('npm ci', '<w:i/><w:rStyle w:val="Verb"/>') +
          run(' ') +
          `<w:hyperlink w:anchor="x">${run('there', '<w:i/>')}</w:hyperlink>` +
          run(' or '),
      ),
    );
    expect(html).toBe('<p><em>Note: <code>npm ci</code> <a href="#x">there</a></em> or </p>');
  });

  test('has blocks for paragraphs of code with line breaks, which keep their indentation', async () => {
    const line = (text: string) => run(`  ${text}`);
    const code = (...lines: string[]) => paragraph(lines.map(line).join('<w:r><w:br/></w:r>'), 'SourceCode');
    const html = await htmlOf(code('npm ci') + code('let a;', 'let b;'));
    expect(html).toBe('<pre><code>  npm ci</code></pre>\n<pre><code>  let a;\n  let b;</code></pre>');
  });

  test('keeps its horizontal lines', async () => {
    const line = '<w:r><w:pict><v:rect o:hr="t" xmlns:v="v" xmlns:o="o"/></w:pict></w:r>';
    const html = await htmlOf(
      paragraph(run('One')) + paragraph(line) + paragraph(run('Two')) + paragraph(line),
    );
    expect(html).toBe('<p>One</p>\n<hr>\n<p>Two</p>\n<hr>');
  });

  test('keeps the spans of merged cells', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(run(text))}</w:tc>`;
    const html = await htmlOf(
      `<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>${cell('Both', '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell('A')}${cell('B')}</w:tr></w:tbl>`,
    );
    expect(html).toContain('<th colspan="2">Both</th>');
    expect(html).toContain('<td>A</td><td>B</td>');
  });

  test('loses a table of one cell around another table', async () => {
    const table = (cells: string[]) =>
      `<w:tbl><w:tblGrid>${'<w:gridCol/>'.repeat(cells.length)}</w:tblGrid><w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr></w:tbl>`;
    const inner = table([paragraph(run('A')), paragraph(run('B'))]);
    const row = '<tr><th>A</th><th>B</th></tr>';
    expect((await htmlOf(table([inner + paragraph('')]))).replaceAll('\n', '')).toBe(`<table>${row}</table>`);
    expect((await htmlOf(table([inner + paragraph(run('Below'))]))).replaceAll('\n', '')).toBe(
      `<table role="table"><tr><td><table>${row}</table><p>Below</p></td></tr></table>`,
    );
  });

  test('has its charts as their titles and tables of their values', async () => {
    const drawing = `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="Chart 1"/>${CHART.reference}</wp:inline></w:drawing></w:r>`;
    const body = paragraph(run('Before')) + paragraph(drawing) + paragraph(run('After'));
    const file = docx(body, '', {
      'word/_rels/document.xml.rels': relationships(['rId1', 'chart', 'charts/chart1.xml']),
      'word/charts/chart1.xml': CHART.part,
    });
    const { html } = await convertOffice({ type: 'docx', images: false }, file);
    expect(html).toBe(`<p>Before</p>\n${CHART.html}\n<p>After</p>`);
  });

  test('displays the values of charts in their formats', async () => {
    const point = (place: number, value: string, format = '') =>
      `<c:pt idx="${place}"${format}><c:v>${value}</c:v></c:pt>`;
    const values = `<c:formatCode>0.0%</c:formatCode>${point(0, '0.256')}${point(1, '45352', ' formatCode="yyyy\\-mm\\-dd"')}`;
    const chart = CHART.part.replace(/<c:numCache>.*<\/c:numCache>/, `<c:numCache>${values}</c:numCache>`);
    const drawing = `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="Chart 1"/>${CHART.reference}</wp:inline></w:drawing></w:r>`;
    const file = docx(paragraph(drawing), '', {
      'word/_rels/document.xml.rels': relationships(['rId1', 'chart', 'charts/chart1.xml']),
      'word/charts/chart1.xml': chart,
    });
    const { html } = await convertOffice({ type: 'docx', images: false }, file);
    expect(html).toContain('<td>2024</td><td>25.6%</td>');
    expect(html).toContain('<td>2025</td><td>2024-03-01</td>');
  });

  test('has its text escaped', async () => {
    expect(await htmlOf(paragraph(run('&lt;script&gt; &amp; co')))).toBe('<p>&lt;script&gt; &amp; co</p>');
  });

  test('links to headings by fragments made from their text', async () => {
    const heading = `<w:bookmarkStart w:id="1" w:name="_Toc1"/>${run('Next steps')}<w:bookmarkEnd w:id="1"/>`;
    const html = await htmlOf(
      paragraph(`<w:hyperlink w:anchor="_Toc1">${run('see')}</w:hyperlink>`) + paragraph(heading, 'Heading1'),
    );
    expect(html).toBe('<p><a href="#next-steps">see</a></p>\n<h1 id="next-steps">Next steps</h1>');
  });

  test('links footnotes with their marks, and lists comments behind the text', async () => {
    const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    const file = docx(
      paragraph(
        `${run('The bridge')}<w:r><w:footnoteReference w:id="2"/></w:r><w:commentRangeStart w:id="0"/>${run(' opened.')}<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>`,
      ),
      '',
      {
        'word/_rels/document.xml.rels': relationships(
          ['rId1', 'styles', 'styles.xml'],
          ['rId2', 'footnotes', 'footnotes.xml'],
          ['rId3', 'comments', 'comments.xml'],
        ),
        'word/footnotes.xml': `<w:footnotes ${word}><w:footnote w:id="2">${paragraph(run('Built in 1890.'))}</w:footnote></w:footnotes>`,
        'word/comments.xml': `<w:comments ${word}><w:comment w:id="0" w:author="Ann">${paragraph(run('Check the year'))}</w:comment></w:comments>`,
      },
    );
    const { html } = await convertOffice({ type: 'docx', images: false }, file);
    expect(html).toBe(
      '<p>The bridge<sup><a id="note-ref-1" href="#note-1">1</a></sup> opened.</p>\n<ol><li id="note-1">Built in 1890. <a href="#note-ref-1">↩</a></li></ol>\n<aside data-annotation>Ann on “opened.”: Check the year</aside>',
    );
  });

  test('gives its title, author and date', async () => {
    const core = `<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc" xmlns:dcterms="dcterms"><dc:title>Plan &amp; cost</dc:title>
      <dc:creator>Ann</dc:creator><dcterms:created>2024-05-01T10:00:00Z</dcterms:created></cp:coreProperties>`;
    const file = docx(paragraph(run('Text')), '', { 'docProps/core.xml': core });
    expect((await convertOffice({ type: 'docx', images: true }, file)).metadata).toEqual({
      title: 'Plan & cost',
      author: 'Ann',
      publishedTime: '2024-05-01T10:00:00.000Z',
    });
  });
});

describe('a hostile docx file', () => {
  test('does not have its entities expanded', async () => {
    const entities = '<!DOCTYPE d [<!ENTITY a "boom"><!ENTITY b SYSTEM "file:///etc/hostname">]>';
    const file = docx(paragraph(run('x&a;&b;')), entities);
    const html = await convertOffice({ type: 'docx', images: true }, file).then(
      (document) => document.html,
      (error: Error) => error.name,
    );
    expect(html).not.toContain('boom');
  });

  test('is bounded where a cell spans millions of columns', async () => {
    const cell = `<w:tc><w:tcPr><w:gridSpan w:val="9999999"/></w:tcPr>${paragraph(run('wide'))}</w:tc>`;
    const html = await htmlOf(`<w:tbl><w:tr>${cell}</w:tr></w:tbl>`);
    expect(html).toContain('wide');
    expect(html.length).toBeLessThan(100_000);
  });

  test('of deeply nested tables is an error or bounded', async () => {
    const depth = 3000;
    const body = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${paragraph(run('deep'))}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`;
    const result = await htmlOf(body).catch((error: Error) => error.name);
    expect(result === 'DocumentError' || result.length < 1_000_000).toBe(true);
  });

  test('with a password is refused as such', async () => {
    const encrypted = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(504),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    await expect(convertOffice({ type: 'docx', images: true }, encrypted)).rejects.toMatchObject({
      fault: 'password',
    });
  });

  test.each([
    ['that only begins like one', Buffer.from('PK\x03\x04 and nothing else')],
    ['that is truncated', docx(paragraph(run('Text'))).subarray(0, 300)],
  ])('%s is refused', async (_, bytes) => {
    await expect(convertOffice({ type: 'docx', images: true }, bytes)).rejects.toMatchObject({
      name: 'DocumentError',
    });
  });
});

test('an odt file keeps its title, and inline code inside a span with another font', async () => {
  const namespaces =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"';
  const file = writeZip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'META-INF/manifest.xml':
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
    'styles.xml': `<office:document-styles ${namespaces}><office:styles><style:style style:name="Source_20_Text" style:family="text"><style:text-properties style:font-name="Mono"/></style:style></office:styles></office:document-styles>`,
    'content.xml': `<office:document-content ${namespaces}><office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties style:font-name="Cambria"/></style:style></office:automatic-styles><office:body><office:text><text:p text:style-name="Title">Manual</text:p><text:p>Call <text:span text:style-name="Source_20_Text"><text:span text:style-name="T1">main()</text:span></text:span></text:p></office:text></office:body></office:document-content>`,
  });
  expect((await convertOffice({ type: 'odt', images: true }, file)).html).toBe(
    '<h1>Manual</h1>\n<p>Call <code>main()</code></p>',
  );
});
