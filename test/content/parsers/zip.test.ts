import { expect, test } from 'vitest';
import { ZipArchive } from '../../../src/content/parsers/zip.ts';
import { writeZip } from './zip-writer.ts';

test('entries are read by name', () => {
  const archive = new ZipArchive(writeZip({ 'a.xml': 'first', 'b/ü.xml': 'second' }));
  expect(archive.names).toEqual(['a.xml', 'b/ü.xml']);
  expect(archive.read('b/ü.xml', 100)?.toString()).toBe('second');
  expect(archive.read('c.xml', 100)).toBeUndefined();
});

test('an entry larger than the limit is refused, whatever size it declares', () => {
  const archive = new ZipArchive(writeZip({ bomb: Buffer.alloc(1_000_000) }, { bomb: 10 }));
  expect(archive.expandedBytes).toBe(10);
  expect(() => archive.read('bomb', 1000)).toThrow(RangeError);
});

test('an archive without a directory or with too many entries is refused', () => {
  const bytes = writeZip({ a: '', b: '', c: '' });
  expect(() => new ZipArchive(bytes.subarray(0, -30))).toThrow(RangeError);
  expect(() => new ZipArchive(Buffer.alloc(0))).toThrow(RangeError);
  expect(() => new ZipArchive(bytes, 2)).toThrow(RangeError);
});
