import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFileUrl, formatFileReference } from '../../src/storage/blobs/file-urls.ts';
import { call, scrape } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { look, mediaFile } from '../support/documents/media.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** The formats audio and video, from the request to the file behind the address in the answer. */

const service = useService();

const db = useDatabase();
let pages: Pages;
let video: Buffer;
let sound: Buffer;

const send =
  (type: string, bytes: () => Buffer): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': type }).end(bytes());
const TEXT = '<p>A page with enough to be read without any script.</p>'.repeat(20);

beforeAll(async () => {
  [video, sound] = await Promise.all([mediaFile('mp4', { video: true }), mediaFile('wav')]);
  pages = await startPages({
    '/v.mp4': send('video/mp4', () => video),
    '/a.wav': send('audio/wav', () => sound),
    '/with': `<title>With</title><main>${TEXT}<video src="/v.mp4"></video></main>`,
    '/without': `<title>Without</title><main>${TEXT}<a href="/with">on</a></main>`,
    '/scripted': `<main>${TEXT}</main><script>const a = new Audio('/a.wav'); a.preload = 'auto'; a.load();</script>`,
  });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => pages[Symbol.asyncDispose]());

async function fileAt(url: string) {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('a scrape', () => {
  it('with audio and video returns the URLs of both files, for four credits each', async () => {
    const { body } = await scrape({ url: `${pages.url}/with`, formats: ['markdown', 'audio', 'video'] });
    expect(body.data.metadata).toMatchObject({ title: 'With', creditsUsed: 9 });
    expect(body.data.markdown).toContain('enough to be read');
    expect(body.data.warning).toBeUndefined();
    expect(body.data.video.startsWith(`${service.url}/v2/files/`)).toBe(true);
    expect(await fileAt(body.data.video)).toEqual({ type: 'video/mp4', bytes: video });
    const audio = await fileAt(body.data.audio);
    expect(audio.type).toBe('audio/mp4');
    expect((await look(audio.bytes)).tracks).toEqual(['audio']);
  });

  it('of the URL of a media file returns that file', async () => {
    const { body } = await scrape({ url: `${pages.url}/a.wav`, formats: ['audio'] });
    expect((await fileAt(body.data.audio)).bytes).toEqual(sound);
    expect(body.data.metadata).toMatchObject({ contentType: 'audio/wav', creditsUsed: 5 });
  });

  it('of the URL of a media file returns it beside formats that need an open page', async () => {
    const body = { url: `${pages.url}/a.wav`, formats: ['audio', 'screenshot'] };
    const { data } = (await scrape(body)).body;
    expect((await fileAt(data.audio)).bytes).toEqual(sound);
  });

  it('returns the media that a script of the page loads', async () => {
    const { body } = await scrape({ url: `${pages.url}/scripted`, formats: ['audio'] });
    expect((await fileAt(body.data.audio)).bytes).toEqual(sound);
  });

  it.each(['audio', 'video'])('of a page without %s is refused, and costs nothing', async (format) => {
    const { key } = await makeTeam(db, { credits: 10 });
    const { status, body } = await call('/v2/scrape', {
      body: { url: `${pages.url}/without`, formats: ['markdown', format] },
      key,
    });
    expect([status, body.success, body.code]).toEqual([
      ...[500, false, `SCRAPE_${format.toUpperCase()}_UNSUPPORTED_URL`],
    ]);
    expect(body.error).toContain('WINNOW_YT_DLP');
    const usage = await call('/v2/team/credit-usage', { key });
    expect(usage.body.data.remainingCredits).toBe(10);
  });

  it('reports that the media file is gone', async () => {
    const { body } = await scrape({ url: `${pages.url}/gone`, formats: ['audio'] });
    expect(body.data).toMatchObject({
      metadata: { statusCode: 404, creditsUsed: 1 },
      warning: expect.stringContaining('HTTP 404'),
    });
  });

  it('neither reads nor writes the cache, because file URLs expire', async () => {
    const url = `${pages.url}/with?copy`;
    await scrape({ url, formats: ['markdown', 'video'] });
    expect((await scrape({ url, formats: ['markdown'] })).body.data.metadata.cacheState).toBe('miss');
    const again = await scrape({ url, formats: ['video'] });
    expect(again.body.data.metadata.cacheState).toBeUndefined();
    expect(await fileAt(again.body.data.video)).toMatchObject({ bytes: video });
  });

  it('under lockdown leaves media out', async () => {
    const url = `${pages.url}/with?lockdown`;
    await scrape({ url, formats: ['markdown'] });
    const { body } = await scrape({ url, formats: ['markdown', 'audio'], lockdown: true });
    expect(body.data.warning).toContain('audio was left out: lockdown');
    expect(body.data.audio).toBeUndefined();
  });

  it('from the cache alone is refused', async () => {
    const { status, body } = await scrape({ url: `${pages.url}/with`, formats: ['audio'], minAge: 1 });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('with zero data retention is refused', async () => {
    const { key } = await makeTeam(db, { zeroDataRetention: true });
    const body = { url: `${pages.url}/with`, formats: ['video'], zeroDataRetention: true };
    const answer = await call('/v2/scrape', { body, key });
    expect([answer.status, answer.body.code]).toEqual([400, 'SCRAPE_ZDR_VIOLATION_ERROR']);
  });
});

describe('the URL of a media file', () => {
  it('is valid for at least one hour and at most two', async () => {
    const { body } = await scrape({ url: `${pages.url}/a.wav`, formats: ['audio'] });
    const secretKey = (await readFile(path.join(service.dataDir, 'secret-key'), 'utf8')).trim();
    const token = body.data.audio.split('/').at(-1).split('.')[0];
    const [key, size, mediaType] = JSON.parse(Buffer.from(token, 'base64url').toString());
    const madeMinutesAgo = (minutes: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - minutes * 60_000 });
      const url = createFileUrl(formatFileReference({ key, size, mediaType }), service.url, secretKey);
      vi.useRealTimers();
      return url;
    };
    expect((await fetch(madeMinutesAgo(58))).status).toBe(200);
    const late = await fetch(madeMinutesAgo(121));
    expect([late.status, (await late.json()).code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a crawl', () => {
  it('returns the media of pages that have any, and warns for the others', async () => {
    const id = await startJob('/v2/crawl', {
      url: `${pages.url}/without`,
      crawlEntireDomain: true,
      sitemap: 'skip',
      scrapeOptions: { formats: ['markdown', 'video'] },
    });
    const { status, data, creditsUsed } = await finished('/v2/crawl', id);
    expect(status).toBe('completed');
    const byTitle = Object.fromEntries(
      data.map((each: { metadata: { title: string } }) => [each.metadata.title, each]),
    );
    expect(byTitle.Without.warning).toMatch(/^video was left out: No video was found/);
    expect((await fileAt(byTitle.With.video)).bytes).toEqual(video);
    expect(creditsUsed).toBe(1 + 5);
  });
});

describe('a batch', () => {
  it('lists pages without media among its errors', async () => {
    const urls = ['/with', '/without'].map((each) => pages.url + each);
    const id = await startJob('/v2/batch/scrape', { urls, formats: ['audio'] });
    const { data } = await finished('/v2/batch/scrape', id);
    expect(data.map((each: { metadata: { sourceURL: string } }) => each.metadata.sourceURL)).toEqual([
      urls[0],
    ]);
    const { body } = await call(`/v2/batch/scrape/${id}/errors`);
    expect(body.errors).toMatchObject([{ url: urls[1], code: 'SCRAPE_AUDIO_UNSUPPORTED_URL' }]);
  });
});
