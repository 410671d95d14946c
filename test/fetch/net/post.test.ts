import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type PostOptions, post } from '../../../src/fetch/net/post.ts';
import { startPages } from '../../support/sites/pages.ts';
import { startTlsSite } from '../../support/sites/tls-site.ts';
import { DEAD_URL, type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

let egress: Egress;
let guarded: Egress;
let receiver: Receiver;

beforeAll(async () => {
  egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  guarded = createEgress({ allowPrivate: [] });
  receiver = await startReceiver(({ path }) => Number(/\d+$/.exec(path)?.[0] ?? 200));
});
afterAll(async () => {
  await Promise.all([egress.close(), guarded.close(), receiver[Symbol.asyncDispose]()]);
});

const send = (url: string, options: Partial<PostOptions> & { through?: Egress } = {}) => {
  const { through = egress, ...rest } = options;
  const { signal } = new AbortController();
  return post(through, { url, headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000, signal, ...rest });
};
const at = (path: string) => new URL(path, receiver.url).href;
const refusal = (code: string, message: RegExp | string) =>
  expect.objectContaining({ name: 'ServiceError', code, message: expect.stringMatching(message) });

describe('post', () => {
  it('sends the body and headers', async () => {
    const body = Buffer.from(JSON.stringify({ text: 'Grüße' }));
    expect(await send(at('/all'), { body, headers: { 'X-One': '1', 'Content-Type': 'text/x' } })).toEqual({
      statusCode: 200,
      excerpt: 'thanks',
    });
    const sent = receiver.received.at(-1);
    expect(sent?.raw.equals(body)).toBe(true);
    expect(sent?.headers).toMatchObject({
      'x-one': '1',
      'content-type': 'text/x',
      'content-length': String(body.length),
    });
  });

  it('does not let headers change the connection, and takes credentials from the URL', async () => {
    const url = at('/own').replace('http://', 'http://user:p%40ss@');
    await send(url, { headers: { Host: 'other.test', 'Content-Length': '1', Connection: 'close', TE: 'x' } });
    const { headers } = receiver.received.at(-1) ?? {};
    expect(headers).toMatchObject({
      host: new URL(receiver.url).host,
      'content-length': '2',
      connection: 'keep-alive',
      authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    });
    expect(headers).not.toHaveProperty('te');
  });

  it.each([200, 204, 301, 404, 410, 500, 503])('returns the status %i unchanged', async (status) => {
    expect(await send(at(`/${status}`))).toMatchObject({ statusCode: status });
  });

  it('follows no redirect', async () => {
    const before = receiver.received.length;
    expect(await send(at('/302'))).toMatchObject({ statusCode: 302 });
    expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(['/302']);
  });

  it('refuses private addresses before it connects', async () => {
    const before = receiver.received.length;
    const refused = refusal('unsafe_domain_blocked', /private or reserved.*WINNOW_ALLOW_PRIVATE/);
    await expect(send(receiver.url, { through: guarded })).rejects.toEqual(refused);
    const byName = receiver.url.replace('127.0.0.1', 'localhost');
    await expect(send(byName, { through: guarded })).rejects.toEqual(refused);
    expect(receiver.received).toHaveLength(before);
  });

  it('reports that the port is closed', async () => {
    const address = DEAD_URL;
    const { host } = new URL(address);
    await expect(send(address)).rejects.toEqual(
      refusal('SCRAPE_SITE_ERROR', `^${host} refused the connection. Check the URL and its port`),
    );
  });

  it('requires a trusted certificate and does not mention options of scrapes', async () => {
    await using site = await startTlsSite('self-signed');
    await expect(send(site.url)).rejects.toEqual(
      refusal('SCRAPE_SSL_ERROR', /^The certificate of \S+ is not trusted: it is self-signed \(\w+\)\.$/),
    );
  });

  it('reports a receiver that does not respond in time', async () => {
    await using silent = await startReceiver(() => new Promise<number>(() => undefined));
    await expect(send(silent.url, { timeoutMs: 100 })).rejects.toEqual(
      refusal('SCRAPE_TIMEOUT', `^${new URL(silent.url).host} did not respond within 0.1 seconds.$`),
    );
  });

  it('throws the reason of an abort', async () => {
    await using silent = await startReceiver(() => new Promise<number>(() => undefined));
    const abort = new AbortController();
    const sent = send(silent.url, { signal: abort.signal });
    await silent.until(1);
    const reason = new Error('shutting down');
    abort.abort(reason);
    await expect(sent).rejects.toBe(reason);
  });

  it('returns the status however the body ends', async () => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(202, { 'content-length': '100' }).write('only this');
        setTimeout(() => response.destroy(), 20);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // A TCP server's address is never a path.
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ statusCode: 202, excerpt: 'only this' });
    server.close().closeAllConnections();
  });

  it.each([
    ['a long text', 'word '.repeat(50_000), 'word '.repeat(205).slice(0, 1024)],
    ['a character that is cut', `${'x'.repeat(1023)}ü`, 'x'.repeat(1023)],
    ['bytes that are no text', Buffer.from([0x61, 0, 0xff]), 'a\uFFFD\uFFFD'],
  ])('returns the first KiB of the response, of %s', async (_, sent, excerpt) => {
    await using pages = await startPages({ '/': (_request, response) => response.end(sent) });
    expect(await send(pages.url)).toEqual({ statusCode: 200, excerpt });
  });

  it('refuses anything that is not an http or https URL', async () => {
    await expect(send('ftp://hooks.test/')).rejects.toEqual(refusal('unsafe_domain_blocked', /Only http/));
    await expect(send('no address')).rejects.toEqual(refusal('BAD_REQUEST', /^Invalid URL/));
  });
});
