import { describe, expect, test } from 'vitest';
import { readDocParagraphs } from '../../../../src/content/parsers/office/doc/doc-paragraphs.ts';
import { convertOffice } from '../../../../src/content/parsers/office/index.ts';
import { change, writeDoc } from './doc-writer.ts';

const CODE = change(0x4a4f, 1);
const SUPERSCRIPT = change(0x2a48, 1);
const HIDDEN = change(0x083c, 1);
const DELETED = change(0x0800, 1);
const htmlOf = async (bytes: Buffer) => (await convertOffice({ type: 'doc', images: true }, bytes)).html;

test('a doc file keeps inline code and superscripts, and loses hidden text', async () => {
  const file = writeDoc([
    { text: 'Run ' },
    { text: 'npm ci', changes: CODE },
    { text: ' in 10' },
    { text: '3', changes: SUPERSCRIPT },
    { text: ' places.' },
    { text: '(draft)', changes: HIDDEN },
    { text: '\r' },
  ]);
  expect(await htmlOf(file)).toBe('<p>Run <code>npm ci</code> in 10<sup>3</sup> places.</p>');
});

test('a doc file loses text deleted in a tracked change, and a paragraph of nothing else', async () => {
  const file = writeDoc([
    { text: 'The price is ' },
    { text: '100', changes: DELETED },
    { text: '120 euros.\r' },
    { text: 'Not any more.', changes: DELETED },
    { text: '\r' },
  ]);
  expect(await htmlOf(file)).toBe('<p>The price is 120 euros.</p>');
});

test('the built-in style for titles of a doc file, whose name depends on the language, makes a heading', async () => {
  expect(await htmlOf(writeDoc([{ text: 'Jahresbericht\r' }], { paragraphStyle: 1 }))).toBe(
    '<h1>Jahresbericht</h1>',
  );
});

test('a doc file has the results of its fields, and not their instructions', () => {
  const text = 'See \u0013HYPERLINK "x" \u0014the \u0013PAGE\u0014 page\u0015 list\u0015.\r';
  expect(readDocParagraphs(writeDoc([{ text }]))).toEqual([{ runs: [{ text: 'See the  page list.' }] }]);
});

describe('text boxes of doc files', () => {
  const runs = [{ text: 'One\rTwo\r\rThree\r' }, { text: 'In a\r' }, { text: 'box\r\r' }];

  test('stand behind the paragraph in which they are anchored', async () => {
    const html = '<p>One</p>\n<p>Two</p>\n<p>In a</p>\n<p>box</p>\n<p>Three</p>';
    expect(await htmlOf(writeDoc(runs, { textBox: { length: 10, anchor: 4 } }))).toBe(html);
    expect(await htmlOf(writeDoc(runs, { textBox: { length: 10, anchor: 8 } }))).toBe(html);
  });

  test('stand alone if the document has no other text', async () => {
    const [, ...texts] = runs;
    const file = writeDoc([{ text: '\r' }, ...texts], { textBox: { length: 10, anchor: 0 } });
    expect(await htmlOf(file)).toBe('<p>In a</p>\n<p>box</p>');
  });
});

test('a doc file with a damaged piece table is an error, and one whose piece table repeats the text is bounded', () => {
  const file = writeDoc([{ text: 'Text\r' }]);
  const marker = Buffer.concat([Buffer.from([2]), Buffer.from([16, 0, 0, 0])]);
  const at = file.indexOf(marker);
  const withoutTable = Buffer.from(file);
  withoutTable[at] = 7;
  expect(() => readDocParagraphs(withoutTable)).toThrow(RangeError);
  const long = Buffer.from(file);
  long.writeUInt32LE(0x7fffffff, at + 9);
  expect(readDocParagraphs(long)[0]).toEqual({ runs: [{ text: 'Text' }] });
});
