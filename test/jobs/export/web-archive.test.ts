import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { contentDigest } from '../../../src/jobs/archive/content-digest.ts';
import type { ArchivedExchange, PageArchive } from '../../../src/jobs/archive/page-archive.ts';
import type { ExportedPage } from '../../../src/jobs/export/export-format.ts';
import { EXPORT_FORMATS } from '../../../src/jobs/export/index.ts';
import { LineFiles } from '../../../src/jobs/export/web-archive/sorted-lines.ts';
import { readWacz } from '../../support/documents/web-archives.ts';

const FINISHED = new Date('2026-03-04T05:06:07.000Z');
const STYLE = 'body { color: red }';

/** What a site sent, by URL. */
function archiveOf(sent: Record<string, string>): PageArchive {
  const exchanges = Object.entries(sent).map(
    ([url, body], index): ArchivedExchange => ({
      url,
      method: 'GET',
      requestHeaders: [],
      statusCode: 200,
      statusText: 'OK',
      responseHeaders: [
        ['content-type', url.endsWith('.css') ? 'text/css' : 'text/html; charset=utf-8'],
        ['transfer-encoding', 'chunked'],
      ],
      startedAt: FINISHED.getTime() - 1_000 + index,
      digest: contentDigest(body),
      offset: 0,
      size: Buffer.byteLength(body),
    }),
  );
  return { exchanges, readBody: async ({ url }) => Buffer.from(sent[url]!) };
}

function pageOf(url: string, archive?: PageArchive, others: object = {}): ExportedPage {
  const metadata = { url, sourceURL: url, statusCode: 200, title: `Title of ${url}`, scrapeId: url };
  const json = JSON.stringify({ markdown: 'text', rawHtml: `<p>${url}`, metadata, ...others });
  return { json, finishedAt: FINISHED, ...(archive && { readArchive: async () => archive }) };
}

async function* each(pages: ExportedPage[]) {
  yield* pages;
}

async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function write(pages: ExportedPage[]): Promise<Buffer> {
  const writeWacz = await EXPORT_FORMATS.wacz.load();
  return Buffer.concat((await listed(writeWacz(each(pages)))).map((part) => Buffer.from(part)));
}

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('winnow-export-'));

describe('a packaged web archive', () => {
  it('leads from its index to each response, and to that of a body which comes again', async () => {
    const style = 'https://a.test/style.css';
    const { index, pages, stored, recordAt } = await readWacz(
      await write([
        pageOf('https://a.test/b', archiveOf({ 'https://a.test/b': '<p>b', [style]: STYLE })),
        pageOf('https://a.test/a', archiveOf({ 'https://a.test/a': '<p>a', [style]: STYLE })),
      ]),
    );
    expect(stored).toContain('archive/data.warc.gz');
    expect(pages.map(({ url, title }) => [url, title])).toEqual([
      ['https://a.test/b', 'Title of https://a.test/b'],
      ['https://a.test/a', 'Title of https://a.test/a'],
    ]);
    expect(pages[0]?.ts).toBe('2026-03-04T05:06:06.000Z');
    expect(index.map(({ key, fields }) => [key, fields.mime])).toEqual(
      [
        ['test,a)/a', 'text/html'],
        ['test,a)/b', 'text/html'],
        ['test,a)/style.css', 'text/css'],
        ['test,a)/style.css', 'warc/revisit'],
      ].toSorted(),
    );
    for (const { fields } of index) {
      const [record, ...others] = recordAt(fields);
      expect(others).toEqual([]);
      expect(record?.fields['WARC-Target-URI']).toBe(fields.url);
      expect(record?.fields['WARC-Payload-Digest']).toBe(fields.digest);
    }
    const body = index.find(({ fields }) => fields.mime === 'text/css')!;
    const [record] = recordAt(body.fields);
    expect(record?.body.toString()).toBe(STYLE);
    expect(record?.head).toContain(
      `X-Archive-Orig-transfer-encoding: chunked\r\nContent-Length: ${STYLE.length}\r\n`,
    );
  });

  it('has the HTML of pages where the job has not kept what the site sent', async () => {
    const { index, recordAt } = await readWacz(await write([pageOf('https://a.test/1')]));
    const [line, ...others] = index;
    expect(others).toEqual([]);
    const [record] = recordAt(line!.fields);
    expect(record?.fields['WARC-Type']).toBe('resource');
    expect(record?.body.toString()).toBe('<p>https://a.test/1');
  });

  it('is valid without pages', async () => {
    const { index, pages } = await readWacz(await write([]));
    expect([index, pages]).toEqual([[], []]);
  });

  it('fails as the reading of a page does, and leaves no file behind', async () => {
    const before = leftovers();
    const broken = {
      ...pageOf('https://a.test/1'),
      readArchive: () => Promise.reject(new Error('It is gone.')),
    };
    await expect(write([broken])).rejects.toThrow('It is gone.');
    expect(leftovers()).toEqual(before);
  });

  it('leaves no file behind when its reader leaves, and no page waiting', async () => {
    const before = leftovers();
    let hasEnded = false;
    async function* endless() {
      try {
        for (let n = 0; ; n++)
          yield pageOf(`https://a.test/${n}`, undefined, { rawHtml: 'x'.repeat(50_000) });
      } finally {
        hasEnded = true;
      }
    }
    const writeWacz = await EXPORT_FORMATS.wacz.load();
    let bytes = 0;
    // The first parts come before any page is read.
    for await (const part of writeWacz(endless())) {
      bytes += part.length;
      if (bytes > 10_000) break;
    }
    await expect.poll(() => hasEnded).toBe(true);
    expect(leftovers()).toEqual(before);
  });
});

describe('lines on the disk', () => {
  it('come back in order, however many there are', async () => {
    const count = 45_000;
    const numbers = Array.from({ length: count }, (_, n) => String((n * 7_919) % count).padStart(6, '0'));
    const lines = await LineFiles.create();
    for (const number of numbers) await lines.addSorted(number);
    for (const number of numbers.slice(0, 2_500)) await lines.add(number);
    expect(await listed(lines.sorted())).toEqual(numbers.toSorted());
    expect(await listed(lines.plain())).toEqual(numbers.slice(0, 2_500));
    const before = leftovers();
    await lines[Symbol.asyncDispose]();
    expect(leftovers().length).toBe(before.length - 1);
  });
});
