import { expect, test } from 'vitest';
import type { OfficeBlock, OfficeModel } from '../../../../src/content/parsers/office/model.ts';
import { readPptParagraphs } from '../../../../src/content/parsers/office/ppt/ppt-paragraphs.ts';
import { addSourceProperties } from '../../../../src/content/parsers/office/source/source-properties.ts';
import { officeToHtml } from '../../../../src/content/parsers/office/to-html.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';

/** A record of MS-PPT; containers have records as content. */
function record(type: number, content: Buffer | Buffer[], instance = 0): Buffer {
  const isContainer = Array.isArray(content);
  const bytes = isContainer ? Buffer.concat(content) : content;
  const header = Buffer.alloc(8);
  header.writeUInt16LE((instance << 4) | (isContainer ? 0xf : 0), 0);
  header.writeUInt16LE(type, 2);
  header.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
const text = (value: string) => record(4000, Buffer.from(value, 'utf16le'));
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u16 = (value: number) => Buffer.from(Uint16Array.of(value & 0xffff).buffer);
const paragraphs = (length: number) => Buffer.concat([u32(length), u16(0), u32(0x800), u16(1)]);
const plain = (length: number) => Buffer.concat([u32(length), u32(1), u16(1)]);
const inFont = (length: number, font: number) => Buffer.concat([u32(length), u32(0x10000), u16(font)]);
const raised = (length: number, percent: number) =>
  Buffer.concat([u32(length), u32(0xa0000), u16(18), u16(percent)]);
const font = (name: string, number: number) =>
  record(
    4023,
    Buffer.concat([Buffer.from(`${name}\0`, 'utf16le'), Buffer.alloc(68)]).subarray(0, 68),
    number,
  );
const slide = (flags: number, ...content: Buffer[]) =>
  record(1006, [record(1017, Buffer.concat([Buffer.alloc(10), u16(flags), Buffer.alloc(4)])), ...content]);
const entry = (identifier: number) => record(1011, Buffer.concat([u32(identifier), Buffer.alloc(16)]));
const read = (...records: Buffer[]) =>
  readPptParagraphs(writeCompoundFile({ 'PowerPoint Document': Buffer.concat(records) }));

test('a ppt file keeps inline code, superscripts and subscripts', () => {
  const styles = Buffer.concat([
    paragraphs(12),
    plain(2),
    raised(1, 30),
    plain(1),
    inFont(3, 1),
    plain(2),
    raised(1, -25),
    plain(2),
  ]);
  expect(read(font('Arial', 0), font('Courier New', 1), text('106\rnpm H2O'), record(4001, styles))).toEqual([
    { runs: [{ text: '10' }, { text: '6', position: 'super' }] },
    { runs: [{ text: 'npm', code: true }, { text: ' H' }, { text: '2', position: 'sub' }, { text: 'O' }] },
  ]);
});

test('a text with a link is a link in a ppt file, in whatever styles it is', () => {
  const string = (value: string, instance: number) => record(4026, Buffer.from(value, 'utf16le'), instance);
  const list = record(1033, [
    record(4055, [record(4051, u32(3)), string('Winnow', 0), string('https://a.example/x', 1)]),
    record(4055, [record(4051, u32(4)), string('https://a.example/y', 1), string('part', 3)]),
    record(4055, [record(4051, u32(5)), string('Next', 0), string('256,1,Next', 3)]),
  ]);
  const click = (action: number, link: number, begin: number, end: number) => [
    record(4082, [record(4083, Buffer.concat([u32(0), u32(link), Buffer.from([action]), Buffer.alloc(7)]))]),
    record(4063, Buffer.concat([u32(begin), u32(end)])),
  ];
  const styles = Buffer.concat([paragraphs(26), plain(10), raised(2, 30), plain(14)]);
  const stream = Buffer.concat([
    list,
    record(3999, u32(0)),
    text('Read here 12, more, or go'),
    record(4001, styles),
    ...click(4, 3, 5, 12),
    ...click(4, 4, 14, 18),
    ...click(4, 5, 23, 25),
    record(3999, u32(0)),
    text('Play'),
    ...click(6, 3, 0, 4),
  ]);
  const source = readPptParagraphs(writeCompoundFile({ 'PowerPoint Document': stream }));
  const asRead = (value: string): OfficeBlock => ({
    kind: 'paragraph',
    content: [{ kind: 'text', text: value }],
  });
  const model: OfficeModel = {
    blocks: [asRead('Read here 12, more, or go'), asRead('Play')],
    notes: [],
    assets: [],
  };
  addSourceProperties(model, source);
  expect(officeToHtml(model, undefined)).toBe(
    '<p>Read <a href="https://a.example/x">here <sup>12</sup></a>, <a href="https://a.example/y#part">more</a>, or go</p>\n<p>Play</p>',
  );
});

test('a ppt file marks hidden slides, whose titles are in the list of slides', () => {
  const list = record(4080, [entry(7), text('Shown'), entry(4), text('Backup')]);
  expect(read(list, slide(4, text('Box')), slide(0, text('Plain')))).toEqual([
    { runs: [{ text: 'Shown' }] },
    { runs: [{ text: 'Backup' }], hiddenSlide: 0 },
    { runs: [{ text: 'Box' }], hiddenSlide: 0 },
    { runs: [{ text: 'Plain' }] },
  ]);
});

test('damaged styles of a ppt file leave its text as it is', () => {
  expect(read(text('Text'), record(4001, Buffer.from([9, 0, 0])), text('More'))).toEqual([
    { runs: [{ text: 'Text' }] },
    { runs: [{ text: 'More' }] },
  ]);
});
