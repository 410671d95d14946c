import { expect, test } from 'vitest';
import { nestOfficeLists } from '../../../src/parsers/office/list-nesting.ts';
import type { List, ListItem, OfficeBlock } from '../../../src/parsers/office/model.ts';

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
