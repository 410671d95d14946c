import { expect, test } from 'vitest';
import { liftHeadings } from '../../../../src/content/parsers/office/list-labels.ts';
import { nestOfficeLists } from '../../../../src/content/parsers/office/list-nesting.ts';
import type { List, ListItem, OfficeBlock } from '../../../../src/content/parsers/office/model.ts';
import { officeToHtml } from '../../../../src/content/parsers/office/to-html.ts';

const text = (text: string): OfficeBlock => ({ kind: 'paragraph', content: [{ kind: 'text', text }] });
const item = (...blocks: OfficeBlock[]): ListItem => ({ blocks });
const list = (marker: List['marker'], start: number, ...items: ListItem[]): OfficeBlock => ({
  kind: 'list',
  list: { marker, start, items },
});

test('a list that begins below its first level belongs to the item before it, and the numbering goes on', () => {
  const deeper = list('bullet', 1, item(text('a')));
  expect(
    nestOfficeLists([
      list('decimal', 1, item(text('one'))),
      list('bullet', 1, item(deeper)),
      list('decimal', 2, item(text('two'))),
    ]),
  ).toEqual([list('decimal', 1, item(text('one'), deeper), item(text('two')))]);
});

test('lists that are apart stay apart', () => {
  const blocks = [
    list('bullet', 1, item(text('a'))),
    list('bullet', 1, item(text('b'))),
    list('decimal', 1, item(text('one'))),
    list('decimal', 1, item(text('one again'))),
  ];
  expect(nestOfficeLists(blocks)).toEqual(blocks);
});

test('a list of bullets whose first item has a printed number is numbered from there', () => {
  const items = [
    { ...item(text('a')), markerLabel: '3.' },
    item(text('b')),
    { ...item(text('c')), markerLabel: '5.' },
  ];
  expect(nestOfficeLists([list('bullet', 1, ...items)])).toEqual([
    list('decimal', 3, item(text('a')), item(text('b')), item(text('c'))),
  ]);
  const labelled = list(
    'bullet',
    1,
    { ...item(text('a')), markerLabel: '3.' },
    { ...item(text('b')), markerLabel: '7.' },
  );
  expect(nestOfficeLists([labelled])).toEqual([labelled]);
});

const labelled = (markerLabel: string, ...blocks: OfficeBlock[]): ListItem => ({
  ...item(...blocks),
  markerLabel,
});

test('labels that markdown cannot write take the place of the numbers of a list', () => {
  const letters = list('lowerAlpha', 1, labelled('(a)', text('chairs')), labelled('(b)', text('tables')));
  const clauses = list('decimal', 1, labelled('1.1', text('Goods:'), letters), labelled('1.2', text('Fees')));
  expect(officeToHtml({ blocks: [clauses], notes: [], assets: [] }).replaceAll('\n', '')).toBe(
    '<ul><li>1.1 Goods:<ul><li>(a) chairs</li><li>(b) tables</li></ul></li><li>1.2 Fees</li></ul>',
  );
  const plain = list('decimal', 3, labelled('3.', text('three')), labelled('4.', text('four')));
  expect(officeToHtml({ blocks: [plain], notes: [], assets: [] }).replaceAll('\n', '')).toBe(
    '<ol start="3"><li>three</li><li>four</li></ol>',
  );
});

test('headings that are items of a list are taken out of it, with their labels', () => {
  const heading = (text: string, level: number): OfficeBlock => ({
    kind: 'heading',
    level,
    content: [{ kind: 'text', text }],
  });
  const deeper = list('decimal', 1, labelled('1.1', heading('Scope', 2)), labelled('1.2', text('clause')));
  const html = officeToHtml({
    blocks: liftHeadings([
      list('decimal', 1, labelled('§ 1', heading('Terms', 1), deeper), labelled('•', heading('Other', 1))),
    ]),
    notes: [],
    assets: [],
  });
  expect(html).toBe('<h1>§ 1 Terms</h1>\n<h2>1.1 Scope</h2>\n<ul><li>1.2 clause</li></ul>\n<h1>Other</h1>');
});
