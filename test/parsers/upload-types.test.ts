import { expect, it } from 'vitest';
import { acceptUpload } from '../../src/parsers/upload-types.ts';
import { uploadUrl } from '../../src/upload-url.ts';

/** Which uploaded files are accepted, and with which type. */

const typeOf = (name: string, body: string | Uint8Array, contentType = '') =>
  acceptUpload({ url: uploadUrl(name), name, contentType, body: Buffer.from(body) })?.contentType;

it.each([
  ['page.html', 'Some text', '', 'text/html'],
  ['PAGE.HTM', 'Some text', 'application/octet-stream', 'text/html'],
  ['page.xhtml', '<p/>', 'text/plain; charset=utf-16', 'application/xhtml+xml; charset=utf-16'],
  ['page.html', 'Some text', 'text/html; charset=shift_jis', 'text/html; charset=shift_jis'],
  ['table.csv', 'a,b\n1,2', '', 'text/csv'],
  ['table.csv', 'a,b\n1,2', 'text/plain', 'text/csv'],
  ['table.tsv', 'a\tb', '', 'text/tab-separated-values'],
  ['mail.eml', 'From: a@b.c\r\n\r\nHi', '', 'message/rfc822'],
  ['report.pdf', '%PDF-1.7\n', '', 'application/pdf'],
  ['report', '%PDF-1.7\n', '', ''],
  ['report.bin', '<!doctype html><p>', 'application/octet-stream', 'application/octet-stream'],
  ['report.bin', 'Some text', 'text/html', 'text/html'],
  ['letter.rtf', '{\\rtf1 Hi}', 'text/plain', 'application/rtf'],
])('%s with %j, declared as %j, is accepted as %j', (name, body, declared, type) => {
  expect(typeOf(name, body, declared)).toBe(type);
});

it.each([
  ['notes.txt', 'Some text', 'text/plain'],
  ['data.json', '{"a":1}', 'application/json'],
  ['feed.xml', '<rss></rss>', 'application/xml'],
  ['script.js', 'let a', 'text/javascript'],
  ['README', 'Some text', ''],
  ['__proto__', 'Some text', ''],
  ['a.constructor', 'Some text', ''],
  ['page.html', 'MZ\0\x01', 'text/html'],
  ['table.csv', 'PK\x03\x04', 'text/csv'],
  ['files.zip', 'PK\x03\x04', 'application/zip'],
  ['song.mp3', 'ID3\x03', 'audio/mpeg'],
])('%s with %j, declared as %j, is refused', (name, body, declared) => {
  expect(typeOf(name, body, declared)).toBeUndefined();
});
