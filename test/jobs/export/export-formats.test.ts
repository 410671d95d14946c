import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { base32 } from '../../../src/jobs/archive/base32.ts';
import type { ExportedPage } from '../../../src/jobs/export/export-format.ts';
import { EXPORT_FORMATS } from '../../../src/jobs/export/index.ts';
import { surtKey } from '../../../src/jobs/export/surt-key.ts';

const FINISHED = new Date('2026-03-04T05:06:07.000Z');

function pageOf(url: string, others: object = {}): ExportedPage {
  const metadata = {
    url,
    sourceURL: url,
    statusCode: 200,
    contentType: 'text/html; charset=utf-8',
    title: 'Öl',
  };
  return { json: JSON.stringify({ markdown: `# Öl\n\n${url}`, metadata, ...others }), finishedAt: FINISHED };
}

async function write(name: keyof typeof EXPORT_FORMATS, pages: ExportedPage[]): Promise<Buffer> {
  const read = async function* () {
    yield* pages;
  };
  const parts: Buffer[] = [];
  const writeExport = await EXPORT_FORMATS[name].load();
  for await (const part of writeExport(read())) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

describe('an export as JSON Lines', () => {
  it('has each document as it is stored, on a line of its own', async () => {
    const pages = [pageOf('https://a.test/1'), pageOf('https://a.test/2')];
    const text = (await write('jsonl', pages)).toString();
    expect(text).toBe(pages.map(({ json }) => `${json}\n`).join(''));
    expect((await write('jsonl', [])).length).toBe(0);
  });
});

describe('an export as Parquet', () => {
  const rowsOf = async (pages: ExportedPage[]) => {
    const bytes = await write('parquet', pages);
    return parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  };

  it('has the columns of the index of Common Crawl, and the outputs', async () => {
    const links = ['https://a.test/x'];
    const [row] = await rowsOf([
      pageOf('https://www.Shop.example.co.uk:8443/a/B?q=1', { rawHtml: '<p>Öl', links, summary: 'Oil' }),
    ]);
    expect(row).toMatchObject({
      url_surtkey: 'uk,co,example,shop:8443)/a/b?q=1',
      url_host_name: 'www.shop.example.co.uk',
      url_host_tld: 'uk',
      url_host_2nd_last_part: 'co',
      url_host_registry_suffix: 'co.uk',
      url_host_registered_domain: 'example.co.uk',
      url_protocol: 'https',
      url_port: 8443,
      url_path: '/a/B',
      url_query: 'q=1',
      fetch_time: FINISHED,
      fetch_status: 200,
      content_mime_type: 'text/html',
      content_charset: 'utf-8',
      title: 'Öl',
      raw_html: '<p>Öl',
      html: null,
      links,
      document: { summary: 'Oil' },
    });
    expect(row?.content_digest).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('has every page once, sorted within its row group, however many there are', async () => {
    const urls = Array.from({ length: 2_500 }, (_, n) => `https://a.test/${(n * 7_919) % 2_500}`);
    const rows = await rowsOf(urls.map((url) => pageOf(url)));
    expect(rows.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    const group = rows.slice(0, 1_000).map(({ url_surtkey }) => url_surtkey);
    expect(group).toEqual(group.toSorted());
  });

  it('is a table without rows for a job without documents', async () => {
    expect(await rowsOf([])).toEqual([]);
  });

  it('keeps a page whose URL is none', async () => {
    expect(await rowsOf([pageOf('no URL')])).toMatchObject([{ url: 'no URL', url_host_name: null }]);
  });
});

describe('an export as a web archive', () => {
  /** The records of an archive: their type, fields and block. */
  async function recordsOf(pages: ExportedPage[]) {
    let rest = gunzipSync(await write('warc', pages));
    const records: { fields: Record<string, string>; block: string }[] = [];
    while (rest.length) {
      const end = rest.indexOf('\r\n\r\n');
      const [version, ...lines] = rest.subarray(0, end).toString().split('\r\n');
      expect(version).toBe('WARC/1.1');
      const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
      const length = Number(fields['Content-Length']);
      const block = rest.subarray(end + 4, end + 4 + length).toString();
      expect(rest.subarray(end + 4 + length, end + 8 + length).toString()).toBe('\r\n\r\n');
      rest = rest.subarray(end + 8 + length);
      records.push({ fields, block });
    }
    return records;
  }

  it('has the page as a resource, what was made of it, and no invented response', async () => {
    const [info, resource, markdown, metadata, ...others] = await recordsOf([
      pageOf('https://a.test/ö', { rawHtml: '<p>Öl', summary: 'Oil' }),
    ]);
    expect(others).toEqual([]);
    expect(info?.fields['WARC-Type']).toBe('warcinfo');
    expect(info?.block).toContain('software: Winnow/');
    expect(resource).toMatchObject({
      fields: {
        'WARC-Type': 'resource',
        'WARC-Target-URI': 'https://a.test/ö',
        'WARC-Date': FINISHED.toISOString(),
        'Content-Type': 'text/html;charset=utf-8',
        'Content-Length': '6',
      },
      block: '<p>Öl',
    });
    const refers = { 'WARC-Refers-To': resource?.fields['WARC-Record-ID'] };
    expect(markdown).toMatchObject({ fields: { 'WARC-Type': 'conversion', ...refers } });
    expect(metadata).toMatchObject({ fields: { 'WARC-Type': 'metadata', ...refers } });
    expect(JSON.parse(metadata!.block)).toMatchObject({ summary: 'Oil', metadata: { title: 'Öl' } });
  });

  it('cannot be given fields by a URL', async () => {
    const [, record] = await recordsOf([pageOf('https://a.test/\r\nWARC-Type: response')]);
    expect(record?.fields['WARC-Type']).toBe('conversion');
  });
});

describe('the keys and digests of web archives', () => {
  it.each([
    ['https://www.Example.com/A/?b=2&a=1', 'com,example)/a?a=1&b=2'],
    ['http://example.com', 'com,example)/'],
    ['http://example.com:80/x/', 'com,example)/x'],
    ['http://192.168.1.254/info/', '254,1,168,192)/info'],
    ['http://example.com//a//b?', 'com,example)/a/b'],
    ['https://www2.example.com:8080/', 'com,example:8080)/'],
  ])('of %s are those of other programs', (url, key) => {
    expect(surtKey(url)).toBe(key);
  });

  it.each([
    ['', ''],
    ['f', 'MY'],
    ['foobar', 'MZXW6YTBOI'],
    ['fooba', 'MZXW6YTB'],
  ])('encode %j as RFC 4648 does, without padding', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });
});
