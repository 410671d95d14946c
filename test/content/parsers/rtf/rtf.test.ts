import { describe, expect, test } from 'vitest';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { readRtf } from '../../../../src/content/parsers/rtf/read-rtf.ts';

const HEAD = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1 Courier New;}{\f2\fcharset204 Arial Cyr;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Chapter;}{\s2 heading 2;}{\*\cs5\f1 Verbatim;}}`;
const rtf = (body: string) => Buffer.from(`${HEAD}${body}}`, 'latin1');
const paragraphsOf = (body: string) =>
  readRtf(rtf(body))
    .paragraphs.map(({ runs, headingLevel }) => ({
      text: runs.map(({ text, hidden }) => (hidden ? '' : text)).join(''),
      level: headingLevel,
    }))
    .filter(({ text }) => text !== '');

test('a heading is known by the outline level of its style or paragraph, or by the name of its style', () => {
  expect(
    paragraphsOf(
      String.raw`\pard\s1 One\par\pard\s2 Two\par\pard\outlinelevel2 Three\par\pard Text\par\pard\s1\outlinelevel9 No\par`,
    ),
  ).toEqual([
    { text: 'One', level: 1 },
    { text: 'Two', level: 2 },
    { text: 'Three', level: 3 },
    { text: 'Text', level: undefined },
    { text: 'No', level: undefined },
  ]);
});

test('characters are read by the code pages of fonts, as Unicode with a fallback and as symbols, without text that is not shown', () => {
  const body = String.raw`{\f2\'cf\'f0} \u8364?uro\emdash{\*\bkmkstart x}{\listtext 1.}{\field{\*\fldinst HYPERLINK "u"}{\fldrslt link}}{\v hidden}\par`;
  expect(paragraphsOf(body)).toEqual([{ text: 'Пр €uro—link', level: undefined }]);
});

test('the HTML has headings and inline code', async () => {
  const file = rtf(String.raw`\pard\plain\s1\b Start\b0\par\pard\plain Call {\cs5\f1 main} now\par`);
  const { html, warnings } = await convertOffice({ type: 'rtf', images: true }, file);
  expect(html).toBe('<h1>Start</h1>\n<p>Call <code>main</code> now</p>');
  expect(warnings).toEqual([]);
});

test('a file of unbalanced or deeply nested groups, or with data of impossible length, is read to its end', () => {
  expect(() => readRtf(rtf(`${'{'.repeat(200_000)}deep`))).not.toThrow();
  expect(() => readRtf(rtf('}'.repeat(10_000)))).not.toThrow();
  expect(readRtf(rtf(String.raw`a\par\bin4294967295 rest`)).paragraphs.length).toBeGreaterThan(0);
});

describe('pictures', () => {
  const picture = String.raw`{\*\shppict{\pict{\*\picprop{\sp{\sn wzName}{\sv x}}{\sp{\sn wzDescription}{\sv A <dot>}}}\pngblip 8950
4e47}}{\nonshppict{\pict\wmetafile8 00}}`;

  test('stand where they are in the text, with their alternative texts', async () => {
    const file = rtf(String.raw`\pard One ${picture} two\par ${picture}\par Three\par`);
    const { html, images } = await convertOffice({ type: 'rtf', images: true }, file);
    const img = (id: number) => `<img src="document-image:${id}" alt="A &lt;dot&gt;">`;
    expect(html).toBe(`<p>One ${img(0)} two</p>\n<p>${img(1)}</p>\n<p>Three</p>`);
    expect(images.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(['89504e47', '89504e47']);
  });

  test('are their alternative texts if they are not wanted', async () => {
    const { html, images } = await convertOffice(
      { type: 'rtf', images: false },
      rtf(`${picture}\\par Text\\par`),
    );
    expect(html).toBe('<p>A &lt;dot&gt;</p>\n<p>Text</p>');
    expect(images).toEqual([]);
  });
});

test('hidden text is left out', async () => {
  const file = rtf(String.raw`\pard This is {\v hidden }{\b bold} text\par`);
  const { html } = await convertOffice({ type: 'rtf', images: false }, file);
  expect(html).toMatch(/^<p>This is +<strong>bold<\/strong> text<\/p>$/);
});

test('text deleted in a tracked change is left out', async () => {
  const file = rtf(
    String.raw`\pard\plain The price is {\deleted\revauthdel1 100}{\revised\revauth1 120}.\par`,
  );
  const { html } = await convertOffice({ type: 'rtf', images: true }, file);
  expect(html).toBe('<p>The price is 120.</p>');
});

test('superscripts are found in text with soft and non-breaking hyphens', async () => {
  const file = rtf(String.raw`\pard\plain soft\-ware e\_mail 10{\super 3}\par`);
  const { html } = await convertOffice({ type: 'rtf', images: true }, file);
  expect(html.replace('\u00ad', '')).toBe('<p>software e-mail 10<sup>3</sup></p>');
});

test('a file gives its title, author and date, and no date that does not exist', () => {
  const info = String.raw`{\info{\title Manu\'e4l}{\author Ann}{\operator Bob}{\creatim\yr2026\mo3\dy2\hr9\min5}{\revtim\yr99999999}}`;
  expect(readRtf(rtf(info)).metadata).toEqual({
    title: 'Manuäl',
    author: 'Ann',
    publishedTime: '2026-03-02T09:05:00.000Z',
  });
  expect(readRtf(rtf(String.raw`{\info{\creatim\yr0\mo0\dy0\hr0\min0}}`)).metadata).toEqual({});
});

describe('tables in tables', () => {
  const row = String.raw`{\*\nesttableprops\trowd\cellx2000\cellx4000\nestrow}{\nonesttables {fallback \}}\par}`;
  const cells = (...texts: string[]) =>
    texts.map((text) => String.raw`\pard\intbl\itap2 ${text}\nestcell`).join('');
  const table = String.raw`\trowd\cellx3000\cellx8000\pard\intbl Left\cell\pard\intbl\itap1 Above\par${cells('a1', 'b1')}${row}${cells('a2', 'b2')}${row}\pard\intbl\itap1 Below\cell\row\pard After\par`;

  test('are where they are in their cells, without the text for readers that do not know them', async () => {
    const { html } = await convertOffice({ type: 'rtf', images: false }, rtf(table));
    expect(html.replaceAll('\n', '')).toBe(
      '<table role="table"><tr><td>Left</td><td><p>Above</p><table><tr><th>a1</th><th>b1</th></tr><tr><td>a2</td><td>b2</td></tr></table><p>Below</p></td></tr></table><p>After</p>',
    );
  });
});

test('a table in a cell keeps its text if its level is not the next one', async () => {
  const { html } = await convertOffice(
    { type: 'rtf', images: false },
    rtf(String.raw`\trowd\cellx5000
\pard\intbl\itap2 Before\par
\pard\intbl\itap5 Deep one\nestcell{\*\nesttableprops\trowd\cellx4000\nestrow}
\pard\intbl\itap5 Deep two\nestcell{\*\nesttableprops\trowd\cellx4000\nestrow}
\pard\intbl\itap2 After\nestcell{\*\nesttableprops\trowd\cellx4000\nestrow}
\pard\intbl\itap1 Outer\cell\row
\pard\itap0 Outside\par`),
  );
  const order = ['Before', 'Deep one', 'Deep two', 'After', 'Outer', 'Outside'];
  expect(html.match(new RegExp(order.join('|'), 'g'))).toEqual(order);
  expect(html.match(/<table\b/g)).toHaveLength(3);
});

test('a picture whose binary data has no size is read as hexadecimal digits', async () => {
  const file = rtf(String.raw`\pard {\pict\jpegblip\picw1\pich1 \bin ffd8ffe0}\par`);
  const { images } = await convertOffice({ type: 'rtf', images: true }, file);
  expect(images.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(['ffd8ffe0']);
});

test('headers and footers are no main content, each text once, without pictures and numbers of pages', async () => {
  const body = String.raw`{\header \pard Annual {\b report}\par {\pict\pngblip 89504e47}\par}{\footerl Page {\field{\*\fldinst PAGE}{\fldrslt 7}}\par}
\pard\plain Start\par\sect{\header Annual report\par}{\headerr\pard\s1 Annex\par}\pard\plain End\par`;
  const { html } = await convertOffice({ type: 'rtf', images: false }, rtf(body));
  expect(html).toBe(
    '<p data-page-role="header">Annual report</p>\n<p data-page-role="header">Annex</p>\n<p>Start</p>\n<p>End</p>\n<p data-page-role="footer">Page</p>',
  );
});
