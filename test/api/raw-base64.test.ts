import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';

/** The format `rawBase64`, which returns the bytes of a response unchanged. */

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe]);
const PAGE =
  '<meta http-equiv="refresh" content="0;url=/elsewhere"><div id="root"></div><script src="/a.js"></script>';

let site: Pages;
beforeAll(async () => {
  site = await startPages({
    '/picture': (_request, response) =>
      void response.writeHead(200, { 'Content-Type': 'image/png' }).end(PICTURE),
    '/page': PAGE,
  });
});
afterAll(() => site[Symbol.asyncDispose]());

const bytesOf = ({ rawBase64 }: { rawBase64: string }) => Buffer.from(rawBase64, 'base64');

describe('rawBase64', () => {
  it('is the file as it was sent, even where no other format is possible', async () => {
    const { status, body } = await scrape({ url: `${site.url}/picture`, formats: ['rawBase64'] });
    expect(status).toBe(200);
    expect(bytesOf(body.data)).toEqual(PICTURE);
    expect(Object.keys(body.data)).toEqual(['rawBase64', 'metadata']);
    expect(body.data.metadata).toMatchObject({ contentType: 'image/png', statusCode: 200, creditsUsed: 1 });
    const { body: refused } = await scrape({ url: `${site.url}/picture`, parsers: [] });
    expect(refused.code).toBe('SCRAPE_UNSUPPORTED_FILE_ERROR');
  });

  it('of a page is its source without rendering or meta refresh, and has its own cache entry', async () => {
    const url = `${site.url}/page`;
    const { body: page } = await scrape({ url, formats: ['rawHtml'], fastMode: true });
    expect(page.data.metadata.cacheState).toBe('miss');
    for (const cacheState of ['miss', 'hit']) {
      const { body } = await scrape({ url, formats: ['rawBase64'], fastMode: true });
      expect(bytesOf(body.data).toString()).toBe(PAGE);
      expect(body.data.metadata).toMatchObject({ cacheState, url });
    }
    const { body: again } = await scrape({ url, formats: ['rawHtml'], fastMode: true });
    expect(again.data).not.toHaveProperty('rawBase64');
    expect(again.data.rawHtml).toBe(page.data.rawHtml);
  });

  it('is returned for each file of a batch', async () => {
    const id = await startJob('/v2/batch/scrape', { urls: [`${site.url}/picture`], formats: ['rawBase64'] });
    const { data } = await finished('/v2/batch/scrape', id);
    expect(bytesOf(data[0])).toEqual(PICTURE);
  });
});
