import { afterAll, beforeAll, expect, test } from 'vitest';
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

let pages: Pages;
beforeAll(async () => {
  const serve = (body: Buffer) => (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(body);
  pages = await startPages({
    '/report.pdf': serve(REPORT),
    '/locked.pdf': serve(LOCKED),
    '/broken.pdf': serve(BROKEN),
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
  ['/locked.pdf', 'SCRAPE_DOCUMENT_ENCRYPTED'],
  ['/broken.pdf', 'SCRAPE_DOCUMENT_UNREADABLE'],
])('%s is refused with %s', async (path, code) => {
  const { status, body } = await scrape({ url: pages.url + path });
  expect(status).toBe(400);
  expect(body).toMatchObject({ success: false, code });
});
