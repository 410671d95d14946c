import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import tls from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type DownloadOptions, download, openDownload } from '../../../src/fetch/net/download.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';
import { EXPIRED, SELF_SIGNED, tlsOptions } from '../../support/network/tls.ts';
import { CLOSED_PORT } from '../../support/webhooks/receiver.ts';

const MIB = 1024 * 1024;
const TEXT = 'Grüße aus dem Netz. '.repeat(500);

let dns: TestDns;
let egress: Egress;
let guarded: Egress;
const servers: TcpServer[] = [];
let site = '';
let port = 0;
let secretRequests = 0;
/** Settles when the connection of the last request for `/drip` has ended. */
let dripEnded: Promise<unknown> = Promise.resolve();
/** Headers of the last request, by path. */
const seen: Record<string, Record<string, string | string[] | undefined>> = {};

async function listen(server: TcpServer, host = '127.0.0.1', at = 0): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  return (server.address() as AddressInfo).port; // a TCP server's address is never a string
}

function get(url: string, options: Partial<DownloadOptions> & { through?: Egress } = {}) {
  const { through = egress, ...rest } = options;
  const signal = AbortSignal.timeout(150_000);
  return download(through, { url, skipTlsVerification: true, signal, maxBodyBytes: MIB, ...rest });
}

function open(path: string, options: Partial<DownloadOptions> = {}) {
  const signal = AbortSignal.timeout(150_000);
  const url = site + path;
  return openDownload(egress, { url, skipTlsVerification: true, signal, maxBodyBytes: MIB, ...options });
}

const error = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'ServiceError', code, message: expect.stringMatching(message) });
const refused = error('unsafe_domain_blocked', /private or reserved/);

/** Bodies by path, with the Content-Encoding that they are sent with. */
const ENCODED: Record<string, [string, Buffer]> = {
  '/gzip': ['gzip', gzipSync(TEXT)],
  '/x-gzip': ['X-GZIP', gzipSync(TEXT)],
  '/deflate': ['deflate', deflateSync(TEXT)],
  '/deflate-raw': ['deflate', deflateRawSync(TEXT)],
  '/br': ['br', brotliCompressSync(TEXT)],
  '/zstd': ['zstd', zstdCompressSync(TEXT)],
  '/twice': ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  '/strange': ['utf-8', Buffer.from(TEXT)],
  '/cut': ['gzip', gzipSync(TEXT).subarray(0, -8)],
  '/bomb': ['gzip', gzipSync(Buffer.alloc(64 * MIB))],
  '/bomb-deflate': ['deflate', deflateSync(Buffer.alloc(64 * MIB))],
  '/bomb-twice': ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * MIB)))],
  '/onion': ['gzip, gzip, gzip, gzip, gzip, gzip', Buffer.from('x')],
  '/broken-gzip': ['gzip', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8, 7)])],
  '/not-gzip': ['gzip', Buffer.from('<html>plain</html>')],
  '/broken-br': ['br', Buffer.from('<html>plain</html>')],
  '/broken-zstd': ['zstd', Buffer.from('<html>plain</html>')],
  '/broken-deflate': ['deflate', Buffer.from('<html>plain</html>')],
};

const answer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', site);
  seen[pathname] = request.headers;
  const to = searchParams.get('to');
  if (to !== null) {
    response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end('moved');
    return;
  }
  const encoded = ENCODED[pathname];
  if (encoded) {
    response.writeHead(200, { 'content-encoding': encoded[0] }).end(encoded[1]);
  } else if (pathname === '/endless') {
    const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024, 'x')), 1);
    response.on('close', () => clearInterval(timer));
  } else if (pathname === '/silent') {
    // Takes the request and never answers.
  } else if (pathname === '/drip') {
    dripEnded = once(response, 'close');
    response.write('first');
  } else if (pathname === '/missing') {
    response
      .writeHead(404, { 'content-type': 'text/html; charset=utf-8', 'x-list': ['a', 'b'] })
      .end('<p>none</p>');
  } else if (pathname === '/no-location') {
    response.writeHead(302).end('nowhere');
  } else {
    response.end(`page ${request.url}`);
  }
};

beforeAll(async () => {
  dns = await startDns({
    'site.test': ['127.0.0.1'],
    'other.test': ['127.0.0.1'],
    'inside.test': ['127.0.0.2'],
  });
  egress = createEgress({ allowPrivate: ['127.0.0.1/32'], dns: dns.address });
  guarded = createEgress({ allowPrivate: [], dns: dns.address });
  port = await listen(createServer(answer));
  site = `http://site.test:${port}`;
  const secret = createServer((_, response) => {
    secretRequests++;
    response.end('secret');
  });
  await listen(secret, '127.0.0.2', port);
});

afterAll(async () => {
  for (const server of servers) {
    server.close();
    if ('closeAllConnections' in server) (server as Server).closeAllConnections(); // only HTTP servers have it
  }
  await Promise.all([egress.close(), guarded.close(), dns.close()]);
});

describe('an open response', () => {
  it('is returned before its body has ended', async () => {
    const { body, ...answer } = await open('/drip');
    expect(answer).toMatchObject({ url: `${site}/drip`, statusCode: 200, redirects: 0 });
    for await (const chunk of body) {
      expect(String(chunk)).toBe('first');
      break;
    }
    await dripEnded;
  });

  it('closes the connection when its body is destroyed unread', async () => {
    const { body } = await open('/drip');
    body.destroy();
    await dripEnded;
  });

  it.each(['gzip', 'deflate-raw', 'br', 'zstd', 'twice'])('is decoded while it arrives: %s', async (path) => {
    const chunks: Buffer[] = [];
    for await (const chunk of (await open(`/${path}`)).body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(TEXT);
  });

  it.each(['bomb', 'bomb-deflate', 'bomb-twice', 'endless'])(
    'is read up to the size limit: %s',
    async (path) => {
      const { body } = await open(`/${path}`);
      let bytes = 0;
      const read = async () => {
        for await (const chunk of body) bytes += chunk.length;
      };
      await expect(read()).rejects.toEqual(error('SCRAPE_CONTENT_TOO_LARGE', /larger than 1 MiB/));
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(MIB);
    },
  );

  it('throws while it is read when it cannot be decoded', async () => {
    const { body } = await open('/not-gzip');
    await expect(body.toArray()).rejects.toEqual(
      error('SCRAPE_SITE_ERROR', /does not match its Content-Encoding/),
    );
    await expect((await open('/onion')).body.toArray()).rejects.toEqual(
      error('SCRAPE_SITE_ERROR', /6 content codings/),
    );
  });

  it('ends when its signal aborts, whether it is being read or not', async () => {
    const stop = new AbortController();
    const { body } = await open('/drip', { signal: stop.signal });
    const unread = await open('/drip', { signal: stop.signal });
    const reading = body.toArray();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await dripEnded;
    await expect(unread.body.toArray()).rejects.toThrow('enough');
  });

  it('is the redirect that follows twenty others', async () => {
    const self = createServer((request, response) =>
      response.writeHead(302, { location: request.url }).end('on and on'),
    );
    const at = await listen(self);
    const { body, ...answer } = await open('', { url: `http://site.test:${at}/round` });
    expect(answer).toMatchObject({ statusCode: 302, redirects: 20, headers: { location: '/round' } });
    expect(String(Buffer.concat(await body.toArray()))).toBe('on and on');
  });
});

describe('a response', () => {
  it('has its status and headers, also for HTTP errors', async () => {
    const got = await get(`${site}/missing?a=1#part`);
    expect(got).toMatchObject({
      url: `${site}/missing?a=1#part`,
      statusCode: 404,
      contentType: 'text/html; charset=utf-8',
      redirects: 0,
    });
    expect(got.headers['x-list']).toBe('a, b');
    expect(Buffer.from(got.body).toString()).toBe('<p>none</p>');
  });

  it.each(['gzip', 'x-gzip', 'deflate', 'deflate-raw', 'br', 'zstd', 'twice', 'strange', 'cut'])(
    'is decoded: %s',
    async (path) => {
      const got = await get(`${site}/${path}`);
      expect(Buffer.from(got.body).toString()).toBe(TEXT);
      expect(seen[`/${path}`]?.['accept-encoding']).toBe('gzip, deflate, br, zstd');
    },
  );

  it.each(['broken-gzip', 'not-gzip', 'broken-br', 'broken-zstd', 'broken-deflate'])(
    'that cannot be decoded is an error: %s',
    async (path) => {
      await expect(get(`${site}/${path}`)).rejects.toEqual(
        error('SCRAPE_SITE_ERROR', /does not match its Content-Encoding/),
      );
    },
  );

  it.each(['bomb', 'bomb-deflate', 'bomb-twice', 'endless'])(
    'that exceeds the size limit is an error: %s',
    async (path) => {
      await expect(get(`${site}/${path}`)).rejects.toEqual(
        error('SCRAPE_CONTENT_TOO_LARGE', /larger than 1 MiB.*WINNOW_MAX_BODY_MB/),
      );
    },
  );

  it('may be exactly as large as the limit', async () => {
    const size = Buffer.byteLength(TEXT);
    expect((await get(`${site}/gzip`, { maxBodyBytes: size })).body).toHaveLength(size);
    await expect(get(`${site}/gzip`, { maxBodyBytes: size - 1 })).rejects.toEqual(
      error('SCRAPE_CONTENT_TOO_LARGE', /larger than/),
    );
  });

  it('with too many content codings is refused', async () => {
    await expect(get(`${site}/onion`)).rejects.toEqual(error('SCRAPE_SITE_ERROR', /6 content codings/));
  });
});

describe('a request', () => {
  it('has the headers of the user except those that belong to the connection', async () => {
    const headers = {
      'X-Given': 'yes',
      Cookie: 'a=1',
      Host: 'evil.test',
      Connection: 'close',
      'Accept-Encoding': 'lzw',
    };
    await get(`${site}/plain`, { headers });
    expect(seen['/plain']).toMatchObject({
      'x-given': 'yes',
      cookie: 'a=1',
      host: `site.test:${port}`,
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
  });

  it.each([
    ['bad name', 'x'],
    ['x-split', 'a\r\nhost: evil'],
    ['', 'x'],
  ])('with an invalid header is refused: %j', async (name, value) => {
    await expect(get(`${site}/plain`, { headers: { [name]: value } })).rejects.toEqual(
      error('BAD_REQUEST', /The header ".*" cannot be sent/),
    );
  });

  it('sends user name and password of the URL, which the result leaves out', async () => {
    const got = await get(`http://us%C3%A9r:p%40ss@site.test:${port}/login`);
    expect(seen['/login']?.authorization).toBe(`Basic ${Buffer.from('usér:p@ss').toString('base64')}`);
    expect(got.url).toBe(`${site}/login`);
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('are followed for status %i', async (status) => {
    const got = await get(`${site}/a?status=${status}&to=/b%3Fc#part`);
    expect(got).toMatchObject({ url: `${site}/b?c#part`, redirects: 1, statusCode: 200 });
    expect(Buffer.from(got.body).toString()).toBe('page /b?c');
  });

  it('without a location or with another status are returned as responses', async () => {
    expect(await get(`${site}/no-location`)).toMatchObject({ statusCode: 302, redirects: 0 });
    expect(await get(`${site}/a?status=300&to=/b`)).toMatchObject({ statusCode: 300, redirects: 0 });
  });

  it('send credentials to the same origin only', async () => {
    const headers = { Authorization: 'Bearer s', Cookie: 'a=1', 'X-Given': 'yes' };
    await get(`${site}/a?to=/same`, { headers });
    expect(seen['/same']).toMatchObject({ authorization: 'Bearer s', cookie: 'a=1' });
    await get(`${site}/a?to=${encodeURIComponent(`http://other.test:${port}/else?to=${site}/back`)}`, {
      headers,
    });
    for (const path of ['/else', '/back']) {
      expect(seen[path]).toMatchObject({ 'x-given': 'yes' });
      expect(seen[path]).not.toHaveProperty('authorization');
      expect(seen[path]).not.toHaveProperty('cookie');
    }
  });

  it('end with an error after twenty', async () => {
    const loop = `/loop?to=${encodeURIComponent('/loop?to=/loop')}`;
    expect(await get(`${site}${loop}`)).toMatchObject({ redirects: 2 });
    const self = createServer((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    const at = await listen(self);
    await expect(get(`http://site.test:${at}/round`)).rejects.toEqual(
      error('SCRAPE_SITE_ERROR', /redirects more than 20 times/),
    );
  });

  it('to an invalid URL are errors', async () => {
    await expect(get(`${site}/a?to=http://[`)).rejects.toEqual(
      error('SCRAPE_SITE_ERROR', /which is not a valid URL/),
    );
  });
});

describe('a hostile URL', () => {
  // Every spelling leads to loopback or another private address; the guarded door has no exceptions.
  it.each([
    '127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7f.0.0.1', '0177.0.0.1', '017700000001',
    '127.0.0.1.', '0', '0.0.0.0', '0x0', '10.0.0.1', '0xa000001', '012.0.0.1', '192.168.1.1', '192.168.257', '3232235777',
    '172.16.0.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.43518', '100.64.0.1', '192.0.2.1',
    '255.255.255.255', '224.0.0.1', '127.0.0.1%2e', '①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.1',
    '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:1]', '[::127.0.0.1]',
    '[::ffff:0:7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::1]', '[2002:7f00:1::]',
    '[2002:a00:1::1]', '[2001:0:7f00:1::]', '[fe80::1]', '[fd00:ec2::254]', '[fc00::1]', '[fec0::1]', '[ff02::1]',
    '[100::1]', '[2001:db8::1]', '[4000::1]', 'localhost', 'LocalHost', 'localhost.', 'a.b.localhost', 'inside.test',
    'INSIDE.test', 'ınside.test'.replace('ı', 'i'), 'public.example@127.0.0.1', 'site.test:80@inside.test',
    'user:pass@[::1]', '127.0.0.1#@public.example', '127.0.0.1?@public.example', '127.0.0.1\\@public.example',
    'public.example%40x@127.0.0.1', '%31%32%37.0.0.1', 'ⓛocalhost',
  ])('is refused: %s', async (host) => {
    for (const url of [`http://${host}:${port}/`, `https://${host}/`]) {
      if (!URL.canParse(url)) continue;
      await expect(get(url, { through: guarded })).rejects.toEqual(refused);
    }
    expect(URL.canParse(`https://${host}/`)).toBe(true);
    expect(secretRequests).toBe(0);
  }); // biome-ignore format: a table

  it.each(['inside.test', '127.0.0.2', '0x7f.2', '[::ffff:127.0.0.2]', '2130706434'])(
    'is refused as the target of a redirect: %s',
    async (host) => {
      const to = encodeURIComponent(`http://${host}:${port}/`);
      await expect(get(`${site}/a?to=${to}`)).rejects.toEqual(refused);
      expect(secretRequests).toBe(0);
    },
  );

  it.each([
    'file:///etc/passwd',
    'ftp://site.test/x',
    'data:text/html,hi',
    'gopher://site.test:70/_',
    'javascript:0',
    'blob:http://site.test/1',
  ])('is refused, also as the target of a redirect: %s', async (url) => {
    const scheme = error('unsafe_domain_blocked', /Only http and https are fetched/);
    await expect(get(url)).rejects.toEqual(scheme);
    await expect(get(`${site}/a?to=${encodeURIComponent(url)}`)).rejects.toEqual(scheme);
  });
});

describe('a site that fails', () => {
  it('is reported when its name does not resolve', async () => {
    await expect(get('http://absent.test/')).rejects.toEqual(
      error('SCRAPE_DNS_RESOLUTION_ERROR', /The name absent\.test does not resolve/),
    );
  });

  it('is reported when it refuses the connection', async () => {
    await expect(get(`http://site.test:${CLOSED_PORT}/`)).rejects.toEqual(
      error('SCRAPE_SITE_ERROR', /^site\.test:\d+ refused the connection\..*\(ECONNREFUSED\)/),
    );
  });

  it.each([
    [
      'resets the connection',
      (socket: import('node:net').Socket) => socket.resetAndDestroy(),
      /closed the connection/,
    ],
    ['hangs up', (socket: import('node:net').Socket) => socket.end(), /closed the connection/],
    [
      'speaks something else',
      (socket: import('node:net').Socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
      /is not HTTP/,
    ],
    [
      'stops in the middle',
      (socket: import('node:net').Socket) =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'),
      /closed the connection|fewer bytes than/,
    ],
  ])('is reported when it %s', async (_, treat, message) => {
    const at = await listen(
      createTcpServer((socket) => socket.once('data', () => treat(socket)).on('error', () => undefined)),
    );
    await expect(get(`http://site.test:${at}/`)).rejects.toEqual(error('SCRAPE_SITE_ERROR', message));
  });

  it.each(['/silent', '/drip', '/endless'])('can be aborted by the signal: %s', async (path) => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const pending = get(`${site}${path}`, { signal: controller.signal, maxBodyBytes: 1024 * MIB });
    setTimeout(() => controller.abort(reason), 50);
    await expect(pending).rejects.toBe(reason);
  });

  it('is not requested when the signal has aborted before', async () => {
    const reason = new Error('before');
    await expect(get(`${site}/never`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).not.toHaveProperty('/never');
  });
});

describe('TLS', () => {
  const trusted = tls.getCACertificates('default');
  let selfSigned: string;
  let expired: string;

  beforeAll(async () => {
    const show: RequestListener = (_, response) => response.end('over TLS');
    selfSigned = `https://127.0.0.1:${await listen(createTlsServer(tlsOptions(SELF_SIGNED), show))}/`;
    expired = `https://127.0.0.1:${await listen(createTlsServer(tlsOptions(EXPIRED), show))}/`;
  });

  afterEach(() => tls.setDefaultCACertificates(trusted));

  it('refuses untrusted certificates unless verification is skipped', async () => {
    await expect(get(selfSigned, { skipTlsVerification: false })).rejects.toEqual(
      error('SCRAPE_SSL_ERROR', /self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\).*skipTlsVerification/),
    );
    for (const url of [selfSigned, expired])
      expect(Buffer.from((await get(url)).body).toString()).toBe('over TLS');
    // A connection without verification is not used again for a request with it.
    await expect(get(selfSigned, { skipTlsVerification: false })).rejects.toEqual(
      error('SCRAPE_SSL_ERROR', /self-signed/),
    );
  });

  it('verifies authority, validity period and name', async () => {
    tls.setDefaultCACertificates(
      [SELF_SIGNED, EXPIRED].map((pem) => pem.slice(pem.indexOf('-----BEGIN CERT'))),
    );
    const verify = { skipTlsVerification: false };
    const fresh = createEgress({ allowPrivate: ['127.0.0.1/32'], dns: dns.address });
    const { port: at } = new URL(selfSigned);
    expect(await get(selfSigned, { ...verify, through: fresh })).toMatchObject({ statusCode: 200 });
    await expect(get(expired, { ...verify, through: fresh })).rejects.toEqual(
      error('SCRAPE_SSL_ERROR', /it has expired \(CERT_HAS_EXPIRED\)/),
    );
    await expect(get(`https://site.test:${at}/`, { ...verify, through: fresh })).rejects.toEqual(
      error('SCRAPE_SSL_ERROR', /site\.test:\d+ is not trusted: it was issued for another name/),
    );
    await fresh.close();
  });

  it('is reported as missing, and not as a bad certificate, where the server has none', async () => {
    await expect(get(`https://site.test:${port}/`)).rejects.toEqual(
      error('SCRAPE_SSL_ERROR', /No TLS connection.*skipTlsVerification does not help/),
    );
  });
});
