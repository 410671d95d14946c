import { expect, test } from 'vitest';
import { convertOffice } from '../../../src/parsers/office/index.ts';
import { readRtfParagraphs } from '../../../src/parsers/rtf/paragraphs.ts';

const HEAD = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1 Courier New;}{\f2\fcharset204 Arial Cyr;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Chapter;}{\s2 heading 2;}{\*\cs5\f1 Verbatim;}}`;
const rtf = (body: string) => Buffer.from(`${HEAD}${body}}`, 'latin1');
const paragraphsOf = (body: string) =>
  readRtfParagraphs(rtf(body))
    .map(({ runs, headingLevel }) => ({ text: runs.map(({ text }) => text).join(''), level: headingLevel }))
    .filter(({ text }) => text !== '');

test('headings by outline level of the style, name of the style and outline level of the paragraph', () => {
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

test('characters: code pages of fonts, Unicode with fallback, symbols, and text that is not in the document', () => {
  const body = String.raw`{\f2\'cf\'f0} \u8364?uro\emdash{\*\bkmkstart x}{\listtext 1.}{\field{\*\fldinst HYPERLINK "u"}{\fldrslt link}}{\v hidden}\par`;
  expect(paragraphsOf(body)).toEqual([{ text: 'Пр €uro—link', level: undefined }]);
});

test('the HTML has headings and inline code', async () => {
  const file = rtf(String.raw`\pard\plain\s1\b Start\b0\par\pard\plain Call {\cs5\f1 main} now\par`);
  const { html, warnings } = await convertOffice({ type: 'rtf', images: true }, file);
  expect(html).toBe('<h1>Start</h1>\n<p>Call <code>main</code> now</p>');
  expect(warnings).toEqual([]);
});

test('unbalanced and deeply nested groups, and data of impossible length, end', () => {
  expect(() => readRtfParagraphs(rtf(`${'{'.repeat(200_000)}deep`))).not.toThrow();
  expect(() => readRtfParagraphs(rtf('}'.repeat(10_000)))).not.toThrow();
  expect(readRtfParagraphs(rtf(String.raw`a\par\bin4294967295 rest`)).length).toBeGreaterThan(0);
});
