import { expect, test } from 'vitest';
import { readSummaryInformation } from '../../../../src/content/parsers/office/source/summary-information.ts';
import { writeCompoundFile } from '../compound-file-writer.ts';

/** A property set (MS-OLEPS) with the given values by their numbers. */
function propertySet(values: [number: number, value: Buffer][]): Buffer {
  const head = Buffer.alloc(8 + 8 * values.length);
  head.writeUInt32LE(values.length, 4);
  let offset = head.length;
  for (const [place, [number, value]] of values.entries()) {
    head.writeUInt32LE(number, 8 + 8 * place);
    head.writeUInt32LE(offset, 12 + 8 * place);
    offset += value.length;
  }
  const stream = Buffer.alloc(48);
  stream.writeUInt32LE(48, 44);
  return Buffer.concat([stream, head, ...values.map(([, value]) => value)]);
}
function value(type: number, content: Buffer, length?: number): Buffer {
  const head = Buffer.alloc(length === undefined ? 4 : 8);
  head.writeUInt16LE(type, 0);
  if (length !== undefined) head.writeUInt32LE(length, 4);
  return Buffer.concat([head, content]);
}
const metadataOf = (values: [number, Buffer][]) =>
  readSummaryInformation(writeCompoundFile({ '\u0005SummaryInformation': propertySet(values) }));
const time = Buffer.alloc(8);
time.writeBigUInt64LE((BigInt(Date.UTC(2026, 2, 2, 9)) + 11_644_473_600_000n) * 10_000n);

test('doc and ppt files give their title, author and date, in the code page that they name', () => {
  const codePage = Buffer.alloc(4);
  codePage.writeUInt16LE(1251, 0);
  const title = Buffer.from('\xcf\xf0\0\0', 'latin1');
  expect(
    metadataOf([
      [1, value(0x02, codePage)],
      [2, value(0x1e, title, title.length)],
      [4, value(0x1f, Buffer.from('Änn\0', 'utf16le'), 4)],
      [12, value(0x40, time)],
      [13, value(0x40, Buffer.alloc(8))],
    ]),
  ).toEqual({ title: 'Пр', author: 'Änn', publishedTime: '2026-03-02T09:00:00.000Z' });
});

test('damaged property sets have no metadata', () => {
  expect(metadataOf([[2, value(0x1e, Buffer.from('x'), 0xffffffff)]])).toEqual({ title: 'x' });
  expect(readSummaryInformation(writeCompoundFile({ '\u0005SummaryInformation': 'short' }))).toEqual({});
  expect(readSummaryInformation(Buffer.from('no compound file'))).toEqual({});
});
