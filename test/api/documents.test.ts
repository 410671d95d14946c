import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textLines, writePdf } from '../parsers/pdf/pdf-writer.ts';
import { call, scrape } from '../support/api.ts';
import { makeTeam, openTestDatabase } from '../support/database.ts';
import { type Pages, startPages } from '../support/pages.ts';
import { pollUntil } from '../support/poll.ts';
import { documentProcesses } from '../support/processes.ts';

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
/** Takes a second or more to convert. */
const LONG_PAGES = 500;
const LONG = writePdf(
  Array.from({ length: LONG_PAGES }, (_, page) => ({
    texts: textLines(
      72,
      80,
      Array.from({ length: 30 }, (_, line) => `Line ${line} of page ${page} has some words.`),
    ),
  })),
);

let pages: Pages;
beforeAll(async () => {
  const serve = (body: Buffer) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(body);
  pages = await startPages({
    '/report.pdf': serve(REPORT),
    '/locked.pdf': serve(LOCKED),
    '/broken.pdf': serve(BROKEN),
    '/long.pdf': serve(LONG),
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

test('a killed parser costs only time: the document is converted again and billed once', async () => {
  const db = openTestDatabase();
  const { key } = await makeTeam(db);
  await db.close();
  const scraping = call('/v2/scrape', { key, body: { url: `${pages.url}/long.pdf`, timeout: 50_000 } });
  const isRunning = (state: string) => state.startsWith('R');
  const [busy] = await pollUntil(
    () => {
      const found = documentProcesses().filter(({ status }) => isRunning(status('State')));
      return pages.headersOf('/long.pdf') && found.length > 0 && found;
    },
    { intervalMs: 10 },
  );
  process.kill(busy?.pid ?? 0, 'SIGKILL');
  const { status, body } = await scraping;
  expect(status).toBe(200);
  expect(body.data.markdown).toContain(`Line 29 of page ${LONG_PAGES - 1} has some words.`);
  expect(body.data.metadata).toMatchObject({ numPages: LONG_PAGES, creditsUsed: LONG_PAGES });
  const { body: usage } = await call('/v2/team/credit-usage/historical', { key });
  expect(usage.periods).toMatchObject([{ totalCredits: LONG_PAGES }]);
});
