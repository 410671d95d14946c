import { describe, expect, it } from 'vitest';
import { findParser } from '../../../src/content/parsers/index.ts';
import { parseMediaType, ReceivedFile } from '../../../src/content/parsers/received-file.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const PAGE = '<!doctype html><html><body>hi</body></html>';
const FEED = '<?xml version="1.0"?><rss version="2.0"><channel/></rss>';
const SITEMAP = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>';

/** The type of the parser that takes a body; `none` if there is none. */
function typeOf(contentType: string, body: Uint8Array, path = '/'): string {
  return findParser(new ReceivedFile({ url: `http://a.test${path}`, contentType, body }))?.type ?? 'none';
}

describe('the parser of a body', () => {
  it.each([
    ['html', 'text/html', PAGE],
    ['html', 'TEXT/HTML;charset=utf-8', 'no tags at all'],
    ['html', 'text/html', ''],
    ['html', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['json', 'application/json', '{"a":1}'],
    ['json', 'application/json; charset=utf-8', 'not even json'],
    ['json', 'application/ld+json', '{}'],
    ['json', 'application/problem+json', '{}'],
    ['json', 'text/json', '[]'],
    ['text', 'text/plain', 'hello'],
    ['office', 'text/csv', 'a,b\n1,2'],
    ['office', 'text/tab-separated-values', 'a\tb'],
    ['office', 'message/rfc822', 'Subject: x\n\ny'],
    ['office', 'application/vnd.ms-outlook', 'no signature'],
    ['text', 'text/markdown', '# <b>'],
    ['text', 'text/css', 'a { }'],
    ['text', 'text/javascript', '[1]'],
    ['text', 'application/javascript', '{}'],
    ['text', 'application/x-yaml', 'a: 1'],
    ['text', 'application/x-ndjson', '{}\n{}'],
    ['feed', 'application/xml', SITEMAP],
    ['feed', 'text/xml', SITEMAP],
    ['feed', 'application/rss+xml', FEED],
    ['text', 'application/atom+xml', '<feed/>'],
    ['text', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['pdf', 'application/pdf', '%PDF-1.7\n'],
    ['pdf', 'application/pdf', 'no signature'],
    ['image', 'image/png', PNG],
    ['none', 'application/zip', 'PK\x03\x04'],
    ['none', 'video/mp4', 'x'],
    ['office', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK\x03\x04'],
    ['office', 'application/msword', 'no signature'],
    ['office', 'application/rtf', '{\\rtf1 x}'],
    ['none', 'font/woff2', 'wOF2'],
  ])('follows the declared type: %s for %s', (kind, contentType, body) => {
    expect(typeOf(contentType, Buffer.from(body))).toBe(kind);
  });

  it.each([
    ['pdf', 'text/html', '%PDF-1.4\n'],
    ['pdf', 'application/octet-stream', '\n%PDF-1.4\n'],
    ['pdf', '', '%PDF-1.4\n'],
    ['html', 'application/pdf', PAGE],
    ['html', 'application/json', `\n<!-- a -->${PAGE}`],
    ['html', 'text/plain', `\uFEFF${PAGE}`],
    ['html', 'application/xml', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html/>'],
    ['html', 'image/png', PAGE],
    ['html', 'application/octet-stream', PAGE],
    ['html', 'application/msword', PAGE],
    ['html', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', `\n${PAGE}`],
    ['feed', 'text/html', FEED],
    ['feed', 'text/html; charset=utf-8', `<!-- made by a plugin -->${SITEMAP}`],
    ['html', 'text/html', '<p>A feed begins with <rss>'],
    ['pdf', 'application/pdf', 'junk before %PDF-1.4\n'],
    ['office', 'text/plain', '{\\rtf1\\ansi x}'],
    ['json', 'text/plain; charset=utf-8', ' {"a": [1, 2]} '],
    ['image', 'text/html', PNG],
    ['none', 'text/html', Buffer.from('\x1f\x8b\x08\0', 'latin1')],
    ['none', 'text/plain', Buffer.from([0x4d, 0x5a, 0, 3, 0])],
  ])('follows unambiguous bytes against the declared type: %s for %s', (kind, contentType, body) => {
    expect(typeOf(contentType, Buffer.from(body))).toBe(kind);
  });

  it.each([
    ['html', '<HTML><p>x'],
    ['html', '<!-- x --> <h1>x</h1>'],
    ['html', '<p>x'],
    ['html', '<a href="/">x</a>'],
    ['text', '<abbr>'],
    ['feed', FEED],
    ['text', 'words'],
    ['text', '{broken'],
    ['text', '42'],
    ['text', ''],
    ['json', '{"a":1}'],
    ['json', '[{"a":1}]'],
    ['image', PNG],
    ['image', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
    ['image', Buffer.from('BM\x40\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', 'latin1')],
    ['image', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['image', Buffer.from('MM\0*\0\0\0\x08', 'latin1')],
    ['text', 'BMW and other cars'],
    ['office', 'Received: by a\n\tfor b\nFrom: a@b.test\nSubject: x\n\ny'],
    ['text', 'From: me\nA list of: things'],
    ['none', Buffer.from([1, 2, 3, 4])],
  ])('is detected from the content without a type: %s', (kind, body) => {
    for (const contentType of ['', 'application/octet-stream', '*/*']) {
      expect(typeOf(contentType, Buffer.from(body))).toBe(kind);
    }
  });

  it('follows the extension where nothing else is known', () => {
    const junk = Buffer.from('junk before %PDF-1.4\n');
    expect(typeOf('application/octet-stream', junk, '/paper.PDF')).toBe('pdf');
    expect(typeOf('application/octet-stream', junk, '/paper.txt')).toBe('text');
    expect(typeOf('', Buffer.from(PAGE), '/paper.pdf')).toBe('html');
    expect(typeOf('text/plain', junk, '/paper.pdf')).toBe('text');
  });

  it('is detected in UTF-16 text', () => {
    expect(typeOf('', Buffer.from(`\uFEFF${PAGE}`, 'utf16le'))).toBe('html');
    expect(typeOf('', Buffer.from('\uFEFFwords', 'utf16le').swap16())).toBe('text');
    expect(typeOf('text/plain; charset=UTF-16LE', Buffer.from('words', 'utf16le'))).toBe('text');
  });

  it('depends on the beginning of the body, so a page about PDFs is HTML', () => {
    expect(typeOf('text/html', Buffer.from('<p>A PDF begins with %PDF-1.7'))).toBe('html');
    const pool = Buffer.from('%PDF-<p>x');
    expect(typeOf('', pool.subarray(5))).toBe('html');
  });

  it('is detected in bounded time, however comments nest', () => {
    for (const hostile of [
      '<!--'.repeat(400),
      '<!---->'.repeat(200),
      '<?xml>'.repeat(200),
      '<?xml <!---->'.repeat(99),
    ]) {
      expect(typeOf('', Buffer.from(hostile))).toBe('text');
    }
  });
});

describe('the media type', () => {
  it.each([
    ['Text/HTML; charset=x', 'text/html'],
    ['text/html, text/html', 'text/html'],
    ['', ''],
    [' ; charset=utf-8', ''],
  ])('of the header %j is %j', (contentType, essence) => {
    expect(parseMediaType(contentType)).toBe(essence);
  });
});
