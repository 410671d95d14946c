import { once } from 'node:events';
import {
  createServer,
  get as httpGet,
  request as httpRequest,
  type IncomingMessage,
  type Server,
} from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';
import { CLOSED_PORT } from '../../support/webhooks/receiver.ts';

let dns: TestDns;
let egress: Egress;
let proxy: EgressProxy;
let site: Server;
let port = 0;
/** Every connection that the site has accepted. */
const siteConnections: Socket[] = [];
let secretConnections = 0;
const servers: TcpServer[] = [];

async function listen(server: TcpServer, host = '127.0.0.1', at = 0): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  return (server.address() as AddressInfo).port; // a TCP server's address is never a string
}

async function textOf(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await response.toArray()).toString();
}

/** Sends a request line and gives back all that the proxy answers until it closes. */
async function raw(text: string): Promise<string> {
  const socket = connect(proxy.port, '127.0.0.1', () => socket.write(text));
  socket.on('error', () => undefined);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

/** Opens a tunnel: its socket, or the denial as an error. */
async function tunnel(target: string): Promise<Socket> {
  const request = httpRequest({ host: '127.0.0.1', port: proxy.port, method: 'CONNECT', path: target });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  request.on('error', reject);
  request.on('connect', (response: IncomingMessage, socket: Socket, head: Buffer) => {
    if (response.statusCode === 200) resolve(socket);
    else reject(new Error(`${response.statusCode} ${head}`));
  });
  request.end();
  return promise;
}

async function plain(url: string, agent?: import('node:http').Agent): Promise<IncomingMessage> {
  const request = httpGet({
    host: '127.0.0.1',
    port: proxy.port,
    path: url,
    headers: { host: new URL(url).host },
    agent,
  });
  const [response] = await once(request, 'response');
  return response;
}

beforeAll(async () => {
  dns = await startDns({
    'site.test': ['127.0.0.1'],
    'inside.test': ['127.0.0.2'],
    'mixed.test': ['127.0.0.1', '10.0.0.1'],
    'rebinding.test': [['127.0.0.1'], ['127.0.0.2']],
    'refusing.test': ['127.0.0.1'],
    'flaky.test': ['127.0.0.1'],
  });
  egress = createEgress({ allowPrivate: ['127.0.0.1/32'], dns: dns.address, dnsTtlMs: 0 });
  proxy = await startEgressProxy(egress);
  // Here this process is the browser.
  proxy.allowUser(process.getuid!());
  site = createServer((request, response) => {
    if (request.url === '/reset') request.socket.destroy();
    else if (request.url === '/slow') response.write('begin');
    else if (request.url === '/headers') response.end(JSON.stringify(request.headers));
    else
      request
        .toArray()
        .then((chunks) => response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`));
  });
  site.on('connection', (socket) => siteConnections.push(socket));
  site.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  port = await listen(site);
  const secret = createTcpServer((socket) => {
    secretConnections++;
    socket.destroy();
  });
  await listen(secret, '127.0.0.2', port);
});

afterAll(async () => {
  await proxy.close();
  await egress.close();
  for (const server of servers) {
    server.close();
    if ('closeAllConnections' in server) (server as Server).closeAllConnections(); // only HTTP servers have it
  }
  await dns.close();
});

describe('the egress proxy passes', () => {
  it('plain requests with bodies', async () => {
    const response = await plain(`http://site.test:${port}/page?a=1`);
    expect(await textOf(response)).toBe('GET /page?a=1 ');
    const post = httpRequest({
      host: '127.0.0.1',
      port: proxy.port,
      method: 'POST',
      path: `http://127.0.0.1:${port}/form`,
    });
    post.end('body');
    const [answer] = await once(post, 'response');
    expect(await textOf(answer)).toBe('POST /form body');
  });

  it('the headers of a request, but not the one for proxies', async () => {
    const answer = await raw(
      `GET http://site.test:${port}/headers HTTP/1.1\r\nHost: site.test:${port}\r\nProxy-Connection: keep-alive\r\nAccept: text/html\r\nproxy-connection: close\r\nConnection: close\r\n\r\n`,
    );
    expect(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))).toEqual({
      host: `site.test:${port}`,
      accept: 'text/html',
      connection: 'keep-alive',
    });
  });

  it('tunnels in both directions, with WebSockets and bytes that a client sends early', async () => {
    const socket = await tunnel(`site.test:${port}`);
    socket.write('GET /live HTTP/1.1\r\nhost: site.test\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 Switching Protocols/);
    const large = Buffer.alloc(300_000, 'abc');
    const back: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => back.push(chunk));
    socket.end(large);
    await once(socket, 'end');
    expect(Buffer.concat(back).equals(large)).toBe(true);
    const eager = await raw(
      `CONNECT site.test:${port} HTTP/1.1\r\n\r\nGET /eager HTTP/1.1\r\nhost: site.test\r\nconnection: close\r\n\r\n`,
    );
    expect(eager).toMatch(/^HTTP\/1\.1 200 Connection Established[\s\S]*GET \/eager $/m);
  });

  it('concurrent requests without mixing them up', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        if (index % 2) return textOf(await plain(`http://site.test:${port}/${index}`));
        const socket = await tunnel(`127.0.0.1:${port}`);
        socket.write(`GET /${index} HTTP/1.1\r\nhost: site\r\nconnection: close\r\n\r\n`);
        return Buffer.concat(await socket.toArray())
          .toString()
          .split('\r\n')
          .findLast((line) => line.startsWith('GET'));
      }),
    );
    expect(answers).toEqual(Array.from({ length: 40 }, (_, index) => `GET /${index} `));
  });
});

describe('the egress proxy refuses', () => {
  const hosts = [
    '127.0.0.2', '127.2', '0x7f.2', '0x7f000002', '2130706434', '0177.0.0.2', '[::1]', '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]', '[64:ff9b::7f00:2]', '10.0.0.1', '169.254.169.254', '0.0.0.0', 'inside.test', 'INSIDE.TEST',
    'mixed.test', '[fd00::1]', '[fe80::1]', '100.64.0.1',
  ]; // biome-ignore format: a table

  it.each(hosts)('CONNECT %s', async (host) => {
    const answer = await raw(`CONNECT ${host}:${port} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    // Spellings that only URLs know are no names to DNS.
    expect(answer).toMatch(
      /^HTTP\/1\.1 (403 Forbidden[\s\S]*private or reserved|502 Bad Gateway[\s\S]*does not resolve)/,
    );
    expect(proxy.failureOf(`https://${new URL(`connect://${host}`).hostname}:${port}`)?.code).toMatch(
      /unsafe_domain_blocked|SCRAPE_DNS_RESOLUTION_ERROR/,
    );
    expect(secretConnections).toBe(0);
  });

  it.each(hosts)('GET http://%s', async (host) => {
    const url = `http://${host}:${port}/`;
    expect(await raw(`GET ${url} HTTP/1.1\r\nhost: site.test\r\n\r\n`)).toBe('');
    expect(proxy.failureOf(url)).toMatchObject({
      code: 'unsafe_domain_blocked',
      message: expect.stringContaining('WINNOW_ALLOW_PRIVATE'),
    });
    expect(secretConnections).toBe(0);
  });

  it('other schemes and requests that are not proxy requests', async () => {
    for (const target of [
      'ftp://site.test/',
      'file:///etc/passwd',
      '/',
      '/etc/passwd',
      'https://127.0.0.2/',
    ]) {
      expect(await raw(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.2:${port}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      );
    }
    expect(secretConnections).toBe(0);
  });

  it('a forbidden address that a later DNS lookup returns', async () => {
    const socket = await tunnel(`rebinding.test:${port}`);
    socket.destroy();
    await expect(tunnel(`rebinding.test:${port}`)).rejects.toThrow(/^403/);
    expect(secretConnections).toBe(0);
  });
});

describe('failures', () => {
  it('to resolve a name are reported', async () => {
    await expect(tunnel('absent.test:443')).rejects.toThrow(/^502/);
    expect(proxy.failureOf('https://absent.test/')).toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' });
    await expect(plain('http://gone.test/')).rejects.toThrow(/hang up/);
    expect(proxy.failureOf('http://gone.test/')).toMatchObject({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' });
  });

  it('to connect are reported', async () => {
    const failure = { code: 'SCRAPE_SITE_ERROR', message: expect.stringContaining('refused the connection') };
    await expect(tunnel(`refusing.test:${CLOSED_PORT}`)).rejects.toThrow(/^502/);
    expect(proxy.failureOf(`https://refusing.test:${CLOSED_PORT}/`)).toMatchObject(failure);
    await expect(plain(`http://127.0.0.1:${CLOSED_PORT}/`)).rejects.toThrow(/hang up/);
    expect(proxy.failureOf(`http://127.0.0.1:${CLOSED_PORT}/`)).toMatchObject(failure);
  });

  it('of plain requests close the connection and are forgotten when the host responds', async () => {
    await expect(plain(`http://flaky.test:${port}/reset`)).rejects.toThrow(/hang up/);
    expect(proxy.failureOf(`http://FLAKY.test:${port}/`)).toMatchObject({
      code: 'SCRAPE_SITE_ERROR',
      message: expect.stringMatching(/^flaky\.test closed the connection/),
    });
    expect(await textOf(await plain(`http://flaky.test:${port}/fine`))).toBe('GET /fine ');
    expect(proxy.failureOf(`http://flaky.test:${port}/`)).toBeUndefined();
  });

  it('belong to the port of a host, and outlast a response of another port', async () => {
    await expect(plain(`http://127.0.0.1:${CLOSED_PORT}/`)).rejects.toThrow(/hang up/);
    expect(await textOf(await plain(`http://127.0.0.1:${port}/fine`))).toBe('GET /fine ');
    expect(proxy.failureOf(`http://127.0.0.1:${CLOSED_PORT}/`)).toMatchObject({ code: 'SCRAPE_SITE_ERROR' });
    expect(proxy.failureOf(`http://127.0.0.1:${port}/`)).toBeUndefined();
  });

  it('of clients are not attributed to the host', async () => {
    const socket = await tunnel(`site.test:${port}`);
    socket.resetAndDestroy();
    const response = await plain(`http://site.test:${port}/slow`);
    await once(response, 'data');
    response.on('error', () => undefined).destroy();
    const dead = connect(proxy.port, '127.0.0.1', () => {
      dead.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`, () => dead.resetAndDestroy());
    });
    await once(dead, 'close');
    expect(await textOf(await plain(`http://site.test:${port}/after`))).toBe('GET /after ');
    expect(proxy.failureOf(`http://site.test:${port}/`)).toBeUndefined();
  });
});

describe('connections', () => {
  it('to a site are reused by plain requests', async () => {
    await textOf(await plain(`http://site.test:${port}/first`));
    const before = siteConnections.length;
    for (let round = 0; round < 5; round++) await textOf(await plain(`http://site.test:${port}/${round}`));
    expect(siteConnections.length - before).toBeLessThanOrEqual(1);
  });

  it('end with their client, and all of them with the proxy', async () => {
    const other = await startEgressProxy(egress);
    other.allowUser(process.getuid!());
    const before = siteConnections.length;
    const opened = () => siteConnections.slice(before);
    const clients = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = connect(other.port, '127.0.0.1');
        socket.on('error', () => undefined).resume();
        socket.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`);
        await once(socket, 'data');
        return socket;
      }),
    );
    await expect.poll(() => opened().length).toBe(10);
    for (const client of clients.slice(0, 5)) client.destroy();
    await expect.poll(() => opened().filter(({ closed }) => closed).length).toBe(5);
    const ends = clients.slice(5).map((client) => once(client, 'close'));
    await other.close();
    await Promise.all(ends);
    await expect(once(connect(other.port, '127.0.0.1'), 'connect')).rejects.toThrow(/ECONNREFUSED/);
  });
});
