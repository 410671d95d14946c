import { expect, it } from 'vitest';
import { ReceivedFile } from '../../../src/content/parsers/received-file.ts';
import {
  acceptUpload,
  documentMediaType,
  mayAcceptUpload,
  typeAgainstDeclared,
} from '../../../src/content/parsers/upload-types.ts';
import { uploadUrl } from '../../../src/content/upload-url.ts';

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

it.each([
  ['pdf', 'application/pdf', '%PDF-1.7', 'application/pdf'],
  ['pdf', 'application/msword', '%PDF-1.7', 'application/pdf'],
  ['csv', 'text/csv; charset=utf-16', 'a,b', 'text/csv; charset=utf-16'],
  [
    'docx',
    'application/vnd.ms-word.document.macroenabled.12',
    'PK',
    'application/vnd.ms-word.document.macroenabled.12',
  ],
  [
    'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'x',
    'application/vnd.ms-excel',
  ],
  ['image', 'image/x-png', '\x89PNG\r\n', 'image/x-png'],
  ['image', 'application/pdf', '\xFF\xD8\xFF', 'image/jpeg'],
  ['image', 'application/pdf', 'II*\0', 'image/tiff'],
] as const)(
  'a document of the type %s that was declared as %s has the media type of its bytes',
  (type, declared, bytes, mediaType) => {
    const body = Buffer.from(bytes, 'latin1');
    expect(
      documentMediaType(type, new ReceivedFile({ url: uploadUrl('a'), contentType: declared, body })),
    ).toBe(mediaType);
  },
);

it.each([
  ['report.pdf', ''],
  ['report.pdf', 'application/octet-stream'],
  ['report.PDF', 'video/mp4'],
  ['report', ''],
  ['report', 'text/plain'],
  ['report.bin', 'application/pdf; charset=binary'],
])('%s, declared as %j, may be accepted before its bytes are known', (name, contentType) => {
  expect(mayAcceptUpload({ name, contentType })).toBe(true);
});

it.each([
  ['film.mp4', ''],
  ['film.mp4', 'video/mp4'],
  ['film', 'video/mp4'],
  ['notes.txt', 'text/plain'],
  ['data.json', 'application/json'],
  ['files.zip', 'application/zip'],
  ['a.constructor', ''],
])('%s, declared as %j, is refused before its bytes are known', (name, contentType) => {
  expect(mayAcceptUpload({ name, contentType })).toBe(false);
});

it.each([
  ['a.pdf', 'application/zip', 'application/pdf'],
  ['a.pdf', 'image/png', 'application/pdf'],
  ['a.html', 'application/pdf; charset=utf-8', 'text/html'],
])('the name %s contradicts the declared type %j', (name, contentType, named) => {
  expect(typeAgainstDeclared({ name, contentType })).toBe(named);
});

it.each([
  ['a.pdf', 'application/pdf'],
  ['a.pdf', ''],
  ['a.pdf', 'application/octet-stream'],
  ['a.csv', 'text/plain'],
  // An office document and a book are archives.
  ['a.docx', 'application/zip'],
  ['a.ods', 'application/zip'],
  ['a.epub', 'application/x-zip-compressed'],
  // A type of which nothing is known may be another name of the same one.
  ['a.pdf', 'application/x-pdf'],
  ['README', 'application/pdf'],
])('the name %s does not contradict the declared type %j', (name, contentType) => {
  expect(typeAgainstDeclared({ name, contentType })).toBeUndefined();
});
