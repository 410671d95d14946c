import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, paragraph, run } from '../parsers/office/docx-writer.ts';
import { textLines, writePdf } from '../parsers/pdf/pdf-writer.ts';
import { scrape } from '../support/api.ts';
import { type Pages, startPages } from '../support/pages.ts';

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

let pages: Pages;
beforeAll(async () => {
  const serve =
    (body: Buffer, type = 'application/pdf') =>
    (_: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(200, { 'Content-Type': type }).end(body);
  pages = await startPages({
    '/report.pdf': serve(REPORT),
    '/locked.pdf': serve(LOCKED),
    '/broken.pdf': serve(BROKEN),
    '/letter.docx': serve(LETTER, 'application/octet-stream'),
    '/accounts.xlsx': serve(ACCOUNTS, 'application/octet-stream'),
    '/table.csv': serve(TABLE, 'text/csv'),
    '/mail.eml': serve(MAIL, 'message/rfc822'),
    '/broken.docx': serve(LETTER.subarray(0, 300), 'application/octet-stream'),
  });
});
afterAll(() => pages[Symbol.asyncDispose]());

test('a PDF is scraped to markdown like a page, with its metadata', async () => {
  const { status, body } = await scrape({ url: `${pages.url}/report.pdf` });
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
