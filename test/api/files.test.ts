import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFileUrl } from '../../src/storage/blobs/file-urls.ts';
import { call } from '../support/api/call.ts';
import { startApi } from '../support/api/in-process-api.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';

/** Files by their signed addresses: for everybody who has one, for a day. */

const service = useService();

const site = useSite();
let address: string;
beforeAll(async () => {
  address = await screenshot();
});
afterEach(() => {
  vi.useRealTimers();
});

async function screenshot(init: Parameters<typeof call>[1] = {}): Promise<string> {
  const body = { url: `${site.url}/article/31`, formats: ['screenshot'] };
  const answer = await call('/v2/scrape', { ...init, body });
  return answer.body.data.screenshot;
}

/** The same token under the address that the shared instance has here. */
const here = (url: string) => service.url + new URL(url).pathname;

/** The URL of a picture as it was made at a time, in milliseconds since 1970. */
function madeAt(key: string, secretKey: string, now: number): string {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const url = createFileUrl(`blob:${key};1;image/png`, service.url, secretKey);
  vi.useRealTimers();
  return url;
}

const claimOf = (url: string) =>
  JSON.parse(Buffer.from(url.split('/').at(-1)!.split('.')[0]!, 'base64url').toString());
const expiryOf = (url: string): number => claimOf(url)[3];

async function refusal(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, body: await answer.json() };
}

describe('the URL of a screenshot', () => {
  it('needs no API key and has the media type of the file', async () => {
    expect(address.startsWith(`${service.url}/v2/files/`)).toBe(true);
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; frame-ancestors 'none'");
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
    // Width and height of the window, as a PNG has them at a fixed place.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1280, 800]);
  });

  it('serves the byte ranges that a request asks for', async () => {
    const whole = Buffer.from(await (await fetch(address)).arrayBuffer());
    const size = whole.length;
    const part = async (range: string, headers = {}) => {
      const answer = await fetch(address, { headers: { range, ...headers } });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return {
        status: answer.status,
        place: answer.headers.get('content-range'),
        bytes,
        headers: answer.headers,
      };
    };
    const parts: [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
      ['Bytes=0-9', 0, 9],
      [`bytes=${size - 1}-${size * 2}`, size - 1, size - 1],
    ];
    for (const [range, start, end] of parts) {
      const { status, place, bytes } = await part(range);
      expect([range, status, place]).toEqual([range, 206, `bytes ${start}-${end}/${size}`]);
      expect(bytes).toEqual(whole.subarray(start, end + 1));
    }
    const { headers } = await part('bytes=0-0');
    expect([headers.get('accept-ranges'), headers.get('content-length')]).toEqual(['bytes', '1']);
    const etag = headers.get('etag')!;
    expect(await part('bytes=0-9', { 'if-range': etag })).toMatchObject({ status: 206 });
    for (const [range, extra] of [
      ['bytes=0-9', { 'if-range': '"another"' }],
      ['bytes=0-1,4-5', {}],
      ['lines=1-2', {}],
      ['bytes=x', {}],
      ['bytes=-', {}],
      ['bytes=5-2', {}],
    ] as const) {
      expect(await part(range, extra)).toMatchObject({ status: 200, place: null, bytes: whole });
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const { status, place, bytes } = await part(range);
      expect([range, status, place, JSON.parse(bytes.toString()).code]).toEqual([
        range,
        416,
        `bytes */${size}`,
        'RANGE_NOT_SATISFIABLE',
      ]);
    }
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
  });

  it('sends no body to a client that has the file', async () => {
    const etag = (await fetch(address, { method: 'HEAD' })).headers.get('etag')!;
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(address, { method, headers });
      return [response.status, (await response.arrayBuffer()).byteLength > 0, response.headers.get('etag')];
    };
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect([known, ...(await ask({ 'if-none-match': known }))]).toEqual([known, 304, false, etag]);
    // If-None-Match is evaluated before Range (RFC 9110, 13.2.2).
    for (const range of ['bytes=0-9', 'bytes=99999999-'])
      expect(await ask({ 'if-none-match': etag, range })).toEqual([304, false, etag]);
    expect(await ask({ 'if-none-match': etag }, 'HEAD')).toEqual([304, false, etag]);
    expect(await ask({ 'if-none-match': '"other"' })).toEqual([200, true, etag]);
    expect(await ask({ 'if-none-match': '"other"', range: 'bytes=0-9' })).toEqual([206, true, etag]);
  });

  it('is not found when it was changed', async () => {
    const token = address.split('/').at(-1)!;
    const [payload = '', signature = ''] = token.split('.');
    const [key, size, , expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify([key, size, 'text/html', expiresAt])).toString('base64url');
    const other = signature.startsWith('A') ? 'B' : 'A';
    const tokens = [
      `${forged}.${signature}`,
      `${payload}.${other}${signature.slice(1)}`,
      `${payload}.${signature.slice(1)}`,
      `${payload}.`,
      payload,
      'x',
      `${'x'.repeat(5_000)}.y`,
      '%2e%2e%2fsecret-key',
    ];
    for (const each of tokens) {
      const { status, body } = await refusal(`${service.url}/v2/files/${each}`);
      expect([each, status, body.success, body.code]).toEqual([each, 404, false, 'NOT_FOUND']);
    }
  });

  it('is not found when it was signed with another key', async () => {
    const reference = `blob:${'0'.repeat(64)};1;image/png`;
    expect((await refusal(createFileUrl(reference, service.url, 'another key'))).status).toBe(404);
  });

  it('is valid for at least one day and at most two', async () => {
    const secretKey = (await readFile(path.join(service.dataDir, 'secret-key'), 'utf8')).trim();
    const [key] = claimOf(address);
    const madeHoursAgo = (hours: number) => madeAt(key, secretKey, Date.now() - hours * 3_600_000);
    expect((await fetch(madeHoursAgo(23.9))).status).toBe(200);
    const { status, body } = await refusal(madeHoursAgo(48.1));
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(body.error).toContain('expired');
  });

  it('stays the same for a day, and is replaced before it expires', () => {
    const day = (hours: number) => madeAt('0'.repeat(64), 'a key', Date.UTC(2026, 2, 1) + hours * 3_600_000);
    expect(day(23.99)).toBe(day(0.01));
    expect(day(24.01)).not.toBe(day(0.01));
    expect(expiryOf(day(23.99)) - Date.UTC(2026, 2, 1)).toBe(48 * 3_600_000);
  });

  it('is signed anew whenever the result is read', async () => {
    const answer = await call('/v2/scrape', {
      body: { url: `${site.url}/article/31`, formats: ['screenshot'] },
    });
    const read = await call(`/v2/scrape/${answer.body.data.metadata.scrapeId}`);
    expect((await fetch(read.body.data.screenshot)).headers.get('content-type')).toBe('image/png');
  });
});

describe('the origin of file URLs', () => {
  it.each([
    [{ 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'winnow.example' }, 'https://winnow.example'],
    [{ 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'a.example, b.example' }, 'https://a.example'],
    [{ 'X-Forwarded-Host': 'winnow.example:8443' }, 'http://winnow.example:8443'],
  ])('is what a trusted proxy says that the client used: %j', async (headers, base) => {
    await using app = await startApi({ WINNOW_TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1' });
    const url = await screenshot({ url: app.url, headers });
    expect(url.startsWith(`${base}/v2/files/`)).toBe(true);
    expect((await fetch(here(url))).status).toBe(200);
  });

  it.each(['', '10.0.0.0/8,fd00::/8'])(
    'is not what others say, with the trusted proxies "%s"',
    async (proxies) => {
      await using app = await startApi({ WINNOW_TRUSTED_PROXIES: proxies });
      const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' };
      const url = await screenshot({ url: app.url, headers });
      expect(url.startsWith(`${app.url}/v2/files/`)).toBe(true);
    },
  );

  it('is PUBLIC_URL when that is set, whatever the request says', async () => {
    await using app = await startApi({ PUBLIC_URL: 'https://public.example/winnow/' });
    const url = await screenshot({ url: app.url, headers: { 'X-Forwarded-Host': 'other.example' } });
    expect(url).toMatch(/^https:\/\/public\.example\/winnow\/v2\/files\/[\w-]+\.[\w-]+$/);
    expect((await fetch(`${app.url}/v2/files/${url.split('/').at(-1)}`)).status).toBe(200);
  });
});

describe('text of a page', () => {
  it('that looks like a reference to a stored file is returned as it is', async () => {
    const [key, size, mediaType] = claimOf(address);
    const text = `blob:${key};${size};${mediaType}`;
    await using pages = await startPages({ '/': `<main><p title="${text}">${text}</p></main>` });
    const formats = ['markdown', { type: 'attributes', selectors: [{ selector: 'p', attribute: 'title' }] }];
    const { body } = await call('/v2/scrape', { body: { url: `${pages.url}/`, formats } });
    expect(body.data.attributes[0].values).toEqual([text]);
    expect(body.data.markdown).toContain(text);
  });
});
