import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { readWarc, type WarcRecord } from '../support/documents/web-archives.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** Jobs that keep what the sites sent, and their exports as web archives. */

const BATCH = '/v2/batch/scrape';
const service = useService();
const db = useDatabase();
const STYLE = `body { color: rgb(1, 2, 3) } /* ${'-'.repeat(400)} */`;
const page = (name: string) =>
  `<!doctype html><title>${name}</title><link rel="stylesheet" href="/style.css"><main><p>The text of ${name}, which is long enough.</p></main>`;
let pages: Awaited<ReturnType<typeof startPages>>;

beforeAll(async () => {
  pages = await startPages({
    '/moved': (_request, response) => {
      response.writeHead(301, { location: '/coded', 'x-why': 'moved' }).end('It has moved.');
    },
    '/coded': (_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'content-encoding': 'gzip',
        'set-cookie': ['a=1', 'b=2'],
      });
      response.end(gzipSync(page('coded')));
    },
    '/one': page('one'),
    '/two': page('two'),
    '/style.css': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/css' }).end(STYLE);
    },
  });
});
afterAll(() => pages[Symbol.asyncDispose]());

async function archiveOf(
  names: string[],
  options: object = {},
  key = service.key,
): Promise<{ id: string; records: WarcRecord[] }> {
  const urls = names.map((name) => `${pages.url}/${name}`);
  const id = await startJob(
    BATCH,
    { urls, formats: ['markdown', 'rawHtml'], archive: true, ...options },
    { key },
  );
  await finished(BATCH, id, { key });
  const response = await fetch(`${service.url}${BATCH}/${id}/export?format=warc`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return { id, records: readWarc(Buffer.from(await response.arrayBuffer())) };
}

const ofType = (records: WarcRecord[], type: string) =>
  records.filter(({ fields }) => fields['WARC-Type'] === type);

describe('a batch with archive', () => {
  it('keeps redirects and responses byte by byte, with their headers and requests', async () => {
    const headers = { 'X-Token': 'a secret of the user' };
    const { records } = await archiveOf(['moved'], { headers });
    const [redirect, response, ...others] = ofType(records, 'response');
    expect(others).toEqual([]);
    expect(redirect?.fields['WARC-Target-URI']).toBe(`${pages.url}/moved`);
    expect(redirect?.head).toMatch(/^HTTP\/1\.1 301 Moved Permanently\r\n/);
    expect(redirect?.head).toContain('x-why: moved');
    expect(redirect?.body.toString()).toBe('It has moved.');
    expect(response?.fields['WARC-Target-URI']).toBe(`${pages.url}/coded`);
    expect(response?.head).toContain('content-encoding: gzip\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n');
    expect(gunzipSync(response!.body).toString()).toBe(page('coded'));
    const requests = ofType(records, 'request');
    expect(requests.map(({ head }) => head.split('\r\n')[0])).toEqual([
      'GET /moved HTTP/1.1',
      'GET /coded HTTP/1.1',
    ]);
    expect(requests[0]?.head).toContain(`host: ${new URL(pages.url).host}\r\n`);
    expect(requests.map(({ head }) => head).join()).not.toContain('secret');
    expect(requests[0]?.fields['WARC-Concurrent-To']).toBe(redirect?.fields['WARC-Record-ID']);
    const made = ofType(records, 'conversion');
    expect(made.map(({ fields }) => fields['WARC-Refers-To'])).toEqual(
      Array(2).fill(response?.fields['WARC-Record-ID']),
    );
    expect(ofType(records, 'resource')).toEqual([]);
  });

  it('keeps what pages load in the browser, and each file once', async () => {
    const { records } = await archiveOf(['one', 'two'], { waitFor: 1, maxConcurrency: 1 });
    const responses = ofType(records, 'response');
    const urls = responses.map(({ fields }) => fields['WARC-Target-URI']);
    expect(urls).toEqual(expect.arrayContaining([`${pages.url}/one`, `${pages.url}/two`]));
    const styles = responses.filter(({ fields }) => fields['WARC-Target-URI'] === `${pages.url}/style.css`);
    expect(styles.map(({ body }) => body.toString())).toEqual([STYLE]);
    const [again, ...more] = ofType(records, 'revisit').filter(
      ({ fields }) => fields['WARC-Target-URI'] === `${pages.url}/style.css`,
    );
    expect(more).toEqual([]);
    expect(again?.body.length).toBe(0);
    expect(again?.fields).toMatchObject({
      'WARC-Payload-Digest': styles[0]?.fields['WARC-Payload-Digest'],
      'WARC-Refers-To-Target-URI': `${pages.url}/style.css`,
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    });
  });

  it('does not take pages from the cache, which has no responses', async () => {
    await archiveOf(['one']);
    const { records } = await archiveOf(['one'], { maxAge: 3_600_000 });
    expect(ofType(records, 'response').map(({ body }) => body.toString())).toEqual([page('one')]);
  });

  it('is refused for pages that come from the cache only', async () => {
    for (const option of [{ lockdown: true }, { minAge: 1 }]) {
      const { status, body } = await call(BATCH, {
        body: { urls: [`${pages.url}/one`], archive: true, ...option },
      });
      expect(status).toBe(400);
      expect(body.error).toContain(Object.keys(option)[0]);
    }
  });

  it('with zero data retention is exported to its team', async () => {
    const { key } = await makeTeam(db, { zeroDataRetention: true });
    const { records } = await archiveOf(['one'], { zeroDataRetention: true }, key);
    expect(ofType(records, 'response').map(({ body }) => body.toString())).toEqual([page('one')]);
  });
});

describe('a batch without archive', () => {
  it('has no response records', async () => {
    const { records } = await archiveOf(['one'], { archive: false });
    expect(records.map(({ fields }) => fields['WARC-Type'])).toEqual([
      'warcinfo',
      'resource',
      'conversion',
      'metadata',
    ]);
  });
});
