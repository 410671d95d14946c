import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeTeam } from '../../src/storage/db/teams/teams.ts';
import { docx, paragraph, run } from '../content/parsers/office/docx-writer.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { call, scrape } from '../support/api/call.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** Documents that are scraped through the whole service. */

const REPORT = writePdf(
  [
    {
      texts: [
        { x: 72, y: 80, text: 'Annual report', size: 24, font: 'Helvetica-Bold' },
        ...textLines(72, 130, [
          'The bridge was opened in May, and the road',
          'to the harbour follows in autumn.',
        ]),
      ],
    },
    { texts: textLines(72, 80, ['The second page has a text of its own.']) },
  ],
  { info: { Title: 'Report of the year', Author: 'The council' } },
);
const LOCKED = writePdf([{ texts: textLines(72, 80, ['Nobody reads this.']) }], {
  encryption: { userPassword: 'secret' },
});
const BROKEN = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(4096, 0xb5)]);

/** A red square as an inline image. */
const SQUARE = `q 200 0 0 200 200 300 cm BI /W 8 /H 8 /BPC 8 /CS /RGB /F /AHx ID ${'ff0000'.repeat(64)}> EI Q`;
const ILLUSTRATED = writePdf([{ texts: textLines(72, 80, ['A red square follows.']), raw: SQUARE }]);
const POSTER =
  '<h1 style="font: 60px sans-serif">Concert on Friday</h1><p style="font: 40px serif">Doors open at eight.</p>';
const LETTER = docx(paragraph(run('Letter'), 'Heading1') + paragraph(run('Dear ') + run('reader', '<w:b/>')));
const ACCOUNTS = write(
  Object.assign(utils.book_new(), {
    SheetNames: ['Sales'],
    Sheets: {
      Sales: utils.aoa_to_sheet([
        ['Month', 'Sum'],
        ['May', 1200],
      ]),
    },
  }),
  { type: 'buffer', bookType: 'xlsx' },
);
const TABLE = Buffer.from('name;number\nAnn;007\n');
const MAIL = Buffer.from(
  'From: ann@example.test\r\nSubject: Hello\r\nDate: Mon, 2 Mar 2026 09:00:00 GMT\r\n\r\nBye\r\n',
);

const db = useDatabase();
let pages: Pages;
/** A picture of a page. */
let poster: Buffer;
beforeAll(async () => {
  const serve =
    (body: Buffer, type = 'application/pdf') =>
    (_: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(200, { 'Content-Type': type }).end(body);
  pages = await startPages({
    '/report.pdf': serve(REPORT),
    '/missing.pdf': (_request, response) =>
      void response.writeHead(404, { 'Content-Type': 'application/pdf' }).end(REPORT),
    '/locked.pdf': serve(LOCKED),
    '/broken.pdf': serve(BROKEN),
    '/illustrated.pdf': serve(ILLUSTRATED),
    '/poster': POSTER,
    '/broken.png': serve(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png'),
    '/letter.docx': serve(LETTER, 'application/octet-stream'),
    '/accounts.xlsx': serve(ACCOUNTS, 'application/octet-stream'),
    '/table.csv': serve(TABLE, 'text/csv'),
    '/mail.eml': serve(MAIL, 'message/rfc822'),
    '/broken.docx': serve(LETTER.subarray(0, 300), 'application/octet-stream'),
    '/poster.png': (request, response) => serve(poster, 'image/png')(request, response),
  });
});
afterAll(() => pages[Symbol.asyncDispose]());

test('a PDF is scraped to markdown like a page, with its metadata', async () => {
  const { status, body } = await scrape({ url: `${pages.url}/report.pdf`, formats: ['markdown', 'rawHtml'] });
  expect(body.data.rawHtml).toMatch(/^<!doctype html><html><head>.*<h1>Annual report<\/h1>/);
  expect([status, body.success]).toEqual([200, true]);
  expect(body.data.markdown).toBe(
    '# Annual report\n\nThe bridge was opened in May, and the road to the harbour follows in autumn.\n\nThe second page has a text of its own.',
  );
  expect(body.data.metadata).toMatchObject({
    title: 'Report of the year',
    author: 'The council',
    numPages: 2,
    contentType: 'application/pdf',
  });
});

test.each([
  ['/letter.docx', '# Letter\n\nDear **reader**'],
  ['/accounts.xlsx', '## Sales\n\n| Month | Sum |\n| --- | --- |\n| May | 1200 |'],
  ['/table.csv', '| name | number |\n| --- | --- |\n| Ann | 007 |'],
  ['/mail.eml', '# Hello\n\n**From:** ann@example.test  \n**Date:** 2026-03-02T09:00:00.000Z\n\nBye'],
])('%s is scraped to markdown', async (path, markdown) => {
  const { status, body } = await scrape({ url: pages.url + path });
  expect([status, body.success]).toEqual([200, true]);
  expect(body.data.markdown).toBe(markdown);
});

test.each([
  ['/locked.pdf', 'SCRAPE_DOCUMENT_ENCRYPTED'],
  ['/broken.pdf', 'SCRAPE_DOCUMENT_UNREADABLE'],
  ['/broken.docx', 'SCRAPE_DOCUMENT_UNREADABLE'],
])('%s is refused with %s', async (path, code) => {
  const { status, body } = await scrape({ url: pages.url + path });
  expect(status).toBe(400);
  expect(body).toMatchObject({ success: false, code });
});

test('a document costs a credit for each page that was read, from the cache, too', async () => {
  const url = `${pages.url}/report.pdf?credits`;
  const first = await scrape({ url });
  expect(first.body.data.metadata).toMatchObject({ creditsUsed: 2, cacheState: 'miss', totalPages: 2 });
  await expect
    .poll(async () => (await scrape({ url })).body.data.metadata)
    .toMatchObject({ creditsUsed: 2, cacheState: 'hit' });
  /** A team that has a copy of the document, and then only so many credits. */
  const withCopy = async (credits: number) => {
    const { key, name } = await makeTeam(db);
    await call('/v2/scrape', { key, body: { url, timeout: 150_000 } });
    await expect
      .poll(async () => (await call('/v2/scrape', { key, body: { url } })).body.data.metadata.cacheState)
      .toBe('hit');
    await changeTeam(db, name, { credits });
    return key;
  };
  const [key, otherKey, lockedKey] = [await withCopy(1), await withCopy(1), await withCopy(5)];
  // A team that cannot pay for the copy gets the beginning of the document.
  const part = await call('/v2/scrape', { key, body: { url, timeout: 150_000 } });
  expect(part.body.data.metadata).toMatchObject({ creditsUsed: 1, numPages: 1, totalPages: 2 });
  expect(part.body.data.warning).toContain('Only 1 of 2 pages were read');
  // A request for nothing but the copy cannot get a part of it.
  const copyOnly = [
    { key: otherKey, body: { url, minAge: 1 } },
    { key: lockedKey, body: { url, lockdown: true } },
  ];
  for (const request of copyOnly) {
    const refused = await call('/v2/scrape', request);
    expect([refused.status, refused.body.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
    expect(refused.body.error).toContain('a document of 2 pages');
  }
  const shorter = await scrape({ url, parsers: [{ type: 'pdf', maxPages: 1 }] });
  expect(shorter.body.data.metadata).toMatchObject({ creditsUsed: 1, numPages: 1, totalPages: 2 });
  expect(shorter.body.data.markdown).not.toContain('second page');
});

test('a document that a server sends with 404 is converted, and billed by its pages like any other', async () => {
  const { body } = await scrape({ url: `${pages.url}/missing.pdf` });
  expect(body.data.markdown).toContain('# Annual report');
  expect(body.data.metadata).toMatchObject({ statusCode: 404, error: 'Not Found', creditsUsed: 2 });
});

test('a PDF is returned in base64 for one credit if parsers are empty', async () => {
  const { body } = await scrape({ url: `${pages.url}/report.pdf`, parsers: [] });
  expect(Buffer.from(body.data.markdown, 'base64')).toEqual(REPORT);
  expect(body.data.metadata.creditsUsed).toBe(1);
});

test('the options of the PDF parser return pages, blocks and page markers', async () => {
  const options = { type: 'pdf', pages: true, blocks: true, pageMarkers: true };
  const { body } = await scrape({ url: `${pages.url}/report.pdf`, parsers: [options] });
  const second = 'The second page has a text of its own.';
  expect(body.data.markdown).toContain(`in autumn.\n\n---\n\n<!-- page 2 -->\n\n${second}`);
  expect(body.data.pages).toEqual([
    { pageNumber: 1, markdown: expect.stringMatching(/^# Annual report/) },
    { pageNumber: 2, markdown: second },
  ]);
  expect(body.data.blocks[0].items[0]).toMatchObject({
    id: 'p1.b0',
    type: 'title',
    content: 'Annual report',
    markdownSpan: [2, 15],
    source: 'native_text',
  });
});

test('the pictures of pages are files whose URLs work without a key, and zero data retention has none', async () => {
  const parsers = [{ type: 'pdf', pageImages: [2, 7] }];
  const { body } = await scrape({ url: `${pages.url}/report.pdf`, parsers });
  expect(body.data.pageImages).toEqual([{ pageNumber: 2, url: expect.any(String) }]);
  expect(body.data).not.toHaveProperty('blocks');
  const response = await fetch(body.data.pageImages[0].url);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG');
  const secret = await scrape({ url: `${pages.url}/report.pdf`, parsers, zeroDataRetention: true });
  expect(secret.body.data.markdown).toContain('Annual report');
  expect(secret.body.data).not.toHaveProperty('pageImages');
  const many = Array.from({ length: 21 }, (_, index) => index + 1);
  const refused = await scrape({
    url: `${pages.url}/report.pdf`,
    parsers: [{ type: 'pdf', pageImages: many }],
  });
  expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST']);
});

test('the images of a document are files whose URLs the markdown has, if they are requested', async () => {
  const url = `${pages.url}/illustrated.pdf`;
  const { body } = await scrape({ url, formats: ['markdown', 'images'] });
  const [image] = body.data.images;
  expect(body.data.markdown).toContain(`](${image})`);
  const response = await fetch(image);
  expect(response.headers.get('content-type')).toMatch(/^image\//);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
  const without = await scrape({ url });
  expect(without.body.data.markdown).toBe('A red square follows.');
});

test('the images of a document, which redactPII does not change, are answered with a warning', async () => {
  const { body } = await scrape({
    url: `${pages.url}/illustrated.pdf`,
    formats: ['markdown', 'images'],
    redactPII: { mode: 'fast' },
  });
  expect(body.data.images).toHaveLength(1);
  expect(body.data.warning).toContain('personal data in text only: images show the page as it is');
});

test('copies of a document with and without its images are found side by side, whichever is newer', async () => {
  const url = `${pages.url}/illustrated.pdf?copies`;
  const withImages = { url, formats: ['markdown', 'images'] };
  const stateOf = async (body: Record<string, unknown>) => (await scrape(body)).body.data.metadata.cacheState;
  expect([await stateOf({ url }), await stateOf(withImages)]).toEqual(['miss', 'miss']);
  await expect.poll(() => stateOf({ url })).toBe('hit');
  await expect.poll(() => stateOf(withImages)).toBe('hit');
  const { body } = await scrape({ url });
  expect(body.data).toMatchObject({ markdown: 'A red square follows.', metadata: { cacheState: 'hit' } });
});

test('the images of a document are left out with zero data retention, which stores no files', async () => {
  const { key } = await makeTeam(db, { zeroDataRetention: true });
  const body = {
    url: `${pages.url}/illustrated.pdf`,
    formats: ['markdown', 'images'],
    zeroDataRetention: true,
  };
  const { data } = (await call('/v2/scrape', { key, body })).body;
  expect(data).toMatchObject({ markdown: 'A red square follows.', images: [] });
  expect(data.warning).toContain('zero data retention stores no files');
});

test('the text of an image is recognised', async () => {
  const { body: drawn } = await scrape({ url: `${pages.url}/poster`, formats: ['screenshot'] });
  poster = Buffer.from(await (await fetch(drawn.data.screenshot)).arrayBuffer());
  const { body } = await scrape({ url: `${pages.url}/poster.png` });
  expect(body.data.markdown).toContain('Concert on Friday');
  expect(body.data.markdown).toContain('Doors open at eight.');
  const { status, body: refused } = await scrape({ url: `${pages.url}/poster.png`, parsers: ['pdf'] });
  expect([status, refused.code]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
  expect((await scrape({ url: `${pages.url}/broken.png` })).body.code).toBe('SCRAPE_DOCUMENT_UNREADABLE');
});
