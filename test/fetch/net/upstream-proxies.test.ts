import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress, type ProxyRoute } from '../../../src/fetch/net/checked-egress.ts';
import { download } from '../../../src/fetch/net/download.ts';
import { startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { createUpstreams } from '../../../src/fetch/net/upstream-proxies.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';
import { SELF_SIGNED, tlsOptions } from '../../support/network/tls.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../../support/network/upstream-proxies.ts';
import { CLOSED_PORT } from '../../support/webhooks/receiver.ts';

/**
 * Nothing on this machine may be fetched: a page that arrives came through a proxy, to which all addresses
 * are the site.
 */
const open: { close(): Promise<unknown> }[] = [];
const authorities = tls.getCACertificates();
const faults: { proxy: string; restMs: number; error: Error }[] = [];
let dns: TestDns;
let site: Server;
let port = 0;
let secureSite: Server;
let securePort = 0;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // a TCP server's address is never a string
}

function closing<Thing extends { close(): Promise<unknown> }>(thing: Thing): Thing {
  open.push(thing);
  return thing;
}

const http = async (options = {}) => closing(await startHttpProxy({ port, ...options }));
const socks = async (options = {}) => closing(await startSocksProxy({ port, ...options }));

function egressBy(basic: string[], enhanced: string[] = []): Egress {
  const onFault = (fault: (typeof faults)[number]) => faults.push(fault);
  return closing(createEgress({ allowPrivate: [], dns: dns.address, proxies: { basic, enhanced, onFault } }));
}

async function get(egress: Egress, url: string, route?: ProxyRoute): Promise<string> {
  const { body } = await download(egress, {
    url,
    skipTlsVerification: false,
    signal: AbortSignal.timeout(150_000),
    maxBodyBytes: 1024,
    ...(route && { route }),
  });
  return Buffer.from(body).toString();
}

const failing = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

beforeAll(async () => {
  dns = await startDns({
    'site.test': ['93.184.216.34'],
    'secure.test': ['93.184.216.34'],
    'both.test': ['2606:4700::1111', '93.184.216.34'],
    'six.test': ['2606:4700::1111'],
    'inside.test': ['10.0.0.1'],
    'rebinding.test': [['93.184.216.34'], ['10.0.0.1']],
  });
  const answer = ({ headers, url }: IncomingMessage) => `${headers.host} ${url}`;
  site = createServer((request, response) => response.end(answer(request)));
  port = await listen(site);
  secureSite = createHttpsServer(tlsOptions(SELF_SIGNED), (request, response) =>
    response.end(answer(request)),
  );
  securePort = await listen(secureSite);
  tls.setDefaultCACertificates([
    ...authorities,
    SELF_SIGNED.slice(SELF_SIGNED.indexOf('-----BEGIN CERTIFICATE')),
  ]);
});

afterEach(async () => {
  faults.length = 0;
  await Promise.all(open.splice(0).map((each) => each.close()));
});

afterAll(async () => {
  tls.setDefaultCACertificates(authorities);
  for (const server of [site, secureSite]) server.close().closeAllConnections();
  await dns.close();
});

describe.each([
  ['an HTTP proxy', http],
  ['an HTTPS proxy', () => http({ secure: true })],
  ['a SOCKS5 proxy', socks],
])('through %s', (_name, start: () => Promise<TestProxy>) => {
  it('plain pages arrive and the proxy sees IP addresses only', async () => {
    const proxy = await start();
    const egress = egressBy([proxy.url]);
    expect(await get(egress, 'http://site.test/page?a=1')).toBe('site.test /page?a=1');
    expect(await get(egress, `http://site.test:8080/`)).toBe('site.test:8080 /');
    expect(proxy.targets).toEqual(['93.184.216.34:80', '93.184.216.34:8080']);
    expect(proxy.strangers).toBe(0);
  });

  it('private addresses are refused before the proxy is used', async () => {
    const proxy = await start();
    const egress = egressBy([proxy.url]);
    for (const url of [
      'http://inside.test/',
      'http://127.0.0.1/',
      'https://[::1]/',
      'http://169.254.169.254/',
    ]) {
      await expect(get(egress, url)).rejects.toEqual(failing('unsafe_domain_blocked', /private/));
    }
    await expect(get(egress, 'http://nobody.test/')).rejects.toEqual(
      failing('SCRAPE_DNS_RESOLUTION_ERROR', /nobody\.test/),
    );
    expect(proxy.targets).toEqual([]);
  });

  it('a wrong password is reported as a fault of the proxy', async () => {
    const proxy = await start();
    const egress = egressBy([proxy.url.replace(/:[^:]*@/, ':wrong@')]);
    await expect(get(egress, 'http://site.test/')).rejects.toEqual(
      failing('SCRAPE_ALL_ENGINES_FAILED', /None of the proxies for site\.test works/),
    );
    expect(proxy.strangers).toBe(1);
    expect(faults).toEqual([
      {
        proxy: new URL(proxy.url).host,
        restMs: 30_000,
        error: expect.objectContaining({ message: expect.stringMatching(/user name and password/) }),
      },
    ]);
  });

  it('an unreachable page is distinguished from a proxy that does not work', async () => {
    const refusal = start === socks ? 4 : 502;
    const proxies = await Promise.all(
      Array.from({ length: 5 }, () => (start === socks ? socks({ refusal }) : http({ refusal }))),
    );
    const egress = egressBy(proxies.map(({ url }) => url));
    await expect(get(egress, 'http://site.test/')).rejects.toEqual(
      failing('SCRAPE_SITE_ERROR', new RegExp(`site\\.test cannot be reached through a proxy.*${refusal}`)),
    );
    expect(proxies.flatMap(({ targets }) => targets)).toHaveLength(3);
    expect(faults).toEqual([]);
  });

  it('the browser reaches plain pages and tunnels', async () => {
    const proxy = await start();
    const egress = egressBy([proxy.url]);
    const door = closing(await startEgressProxy(egress));
    door.allowUser(process.getuid!());
    const ask = (method: string, path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const asked = httpRequest({
          host: '127.0.0.1',
          port: door.port,
          method,
          path,
          headers: { host: 'site.test' },
        });
        asked.once('response', resolve).once('connect', resolve).once('error', reject).end();
      });
    const plain = await ask('GET', 'http://site.test/plain');
    expect(Buffer.concat(await plain.toArray()).toString()).toBe('site.test /plain');
    const tunnel = await ask('CONNECT', 'site.test:443');
    expect(tunnel.statusCode).toBe(200);
    tunnel.socket.destroy();
    expect(proxy.targets).toEqual(['93.184.216.34:80', '93.184.216.34:443']);
    expect((await ask('CONNECT', 'inside.test:443')).statusCode).toBe(403);
    expect(door.failureOf('https://inside.test/')?.code).toBe('unsafe_domain_blocked');
  });
});

it('TLS is established with the site itself and verified by its name', async () => {
  const proxy = await http({ port: securePort });
  const egress = egressBy([proxy.url]);
  expect(await get(egress, 'https://secure.test/')).toBe('secure.test /');
  expect(proxy.targets).toEqual(['93.184.216.34:443']);
  await expect(get(egress, 'https://site.test/')).rejects.toEqual(
    failing('SCRAPE_SSL_ERROR', /another name/),
  );
});

it('TLS works through a proxy that uses TLS itself', async () => {
  const proxy = await http({ port: securePort, secure: true });
  expect(await get(egressBy([proxy.url]), 'https://secure.test/')).toBe('secure.test /');
});

it('a name is looked up once, so a later DNS change has no effect', async () => {
  const proxy = await http();
  expect(await get(egressBy([proxy.url]), 'http://rebinding.test/')).toBe('rebinding.test /');
  expect(proxy.targets).toEqual(['93.184.216.34:80']);
});

it('IPv4 is preferred, and IPv6 used where there is nothing else', async () => {
  const [first, second] = [await socks(), await http()];
  expect(await get(egressBy([first.url]), 'http://both.test/')).toBe('both.test /');
  expect(first.targets).toEqual(['93.184.216.34:80']);
  expect(await get(egressBy([second.url]), 'http://six.test/')).toBe('six.test /');
  expect(await get(egressBy([first.url]), 'http://six.test/')).toBe('six.test /');
  expect(second.targets).toEqual(['[2606:4700::1111]:80']);
  expect(first.targets.at(-1)).toBe('[2606:4700:0000:0000:0000:0000:0000:1111]:80');
});

describe('rotation', () => {
  it('uses proxies in turn', async () => {
    const proxies = [await http(), await socks(), await http()];
    const { select } = createUpstreams({ basic: proxies.map(({ url }) => url), enhanced: [] });
    const upstream = select({ proxy: 'basic', country: undefined })!;
    for (let i = 0; i < 6; i++) {
      const target = {
        host: 'x',
        addresses: [{ address: '93.184.216.34', family: 4 as const }],
        port: i + 1,
      };
      (await upstream.connect(target)).destroy();
    }
    expect(proxies.map(({ targets }) => targets.map((target) => target.split(':')[1]))).toEqual([
      ['1', '4'],
      ['2', '5'],
      ['3', '6'],
    ]);
  });

  it('skips a proxy that does not work, for longer each time', async () => {
    const proxy = await socks();
    const dead = `http://127.0.0.1:${CLOSED_PORT}`;
    const mute = closing(await startSocksProxy());
    await mute.close();
    const egress = egressBy([dead, mute.url, proxy.url]);
    for (let i = 1; i <= 6; i++) expect(await get(egress, `http://site.test:${i}/`)).toBe(`site.test:${i} /`);
    expect(faults.map(({ proxy }) => proxy)).toEqual([new URL(dead).host, new URL(mute.url).host]);
    const lost = egressBy([dead]);
    for (let i = 1; i <= 7; i++) await expect(get(lost, 'http://site.test/')).rejects.toThrow();
    expect(faults.slice(2).map(({ restMs }) => restMs / 1000)).toEqual([30, 60, 120, 240, 480, 600, 600]);
  });
});

describe('the proxies of a route', () => {
  const to = (proxy: ProxyRoute['proxy'], country?: string): ProxyRoute => ({ proxy, country });

  it('are those of its kind and country', async () => {
    const [plain, german, french] = [await http(), await http(), await http()];
    const egress = egressBy([plain.url, `de=${german.url}`], [`FR=${french.url}`]);
    await get(egress, 'http://site.test/1', to('basic'));
    await get(egress, 'http://site.test/2', to('basic', 'DE'));
    await get(egress, 'http://site.test/3', to('enhanced', 'fr'));
    await get(egress, 'http://site.test/4', to('enhanced'));
    expect([plain, german, french].map(({ targets }) => targets.length)).toEqual([1, 1, 2]);
    const routes = [to('basic', 'DE'), to('enhanced', 'fr'), to('basic')];
    expect(routes.map(egress.upstreams.isElsewhere)).toEqual([false, false, false]);
  });

  it('are found by an alias of their country code', async () => {
    const [plain, british] = [await http(), await http()];
    for (const [setting, asked] of [
      ['gb', 'uk'],
      ['uk', 'GB'],
    ]) {
      const egress = egressBy([plain.url, `${setting}=${british.url}`]);
      await get(egress, 'http://site.test/', to('basic', asked));
      expect(egress.upstreams.isElsewhere(to('basic', asked))).toBe(false);
    }
    expect([plain, british].map(({ targets }) => targets.length)).toEqual([0, 2]);
  });

  it.each<[string, string[], number]>([
    ['that do not say where they are', ['de=', '', 'us='], 1],
    ['in the United States where all say where they are', ['de=', 'us=', 'jp='], 1],
    ['anywhere where none is in the United States', ['de='], 0],
  ])('are those %s for a country that the pool lacks', async (_name, countries, expected) => {
    const proxies = await Promise.all(countries.map(() => http()));
    const egress = egressBy(countries.map((country, index) => country + proxies[index]!.url));
    await get(egress, 'http://site.test/', to('basic', 'FR'));
    expect(proxies.map(({ targets }) => targets.length)).toEqual(
      proxies.map((_, index) => Number(index === expected)),
    );
    const { upstreams } = egress;
    expect(upstreams.isElsewhere(to('basic', 'FR'))).toBe(true);
    // They take turns with all other requests.
    expect(upstreams.select(to('basic', 'FR'))).toBe(upstreams.select(to('basic')));
  });

  it('are all proxies of the kind where none has a country, and none where there is none', () => {
    const here = createUpstreams({ basic: ['http://a'], enhanced: [] });
    expect(here.select(to('basic', 'JP'))).toBeDefined();
    expect(here.isElsewhere(to('basic', 'JP'))).toBe(false);
    expect([here.offers('basic'), here.offers('enhanced')]).toEqual([true, false]);
    expect(() => here.select(to('enhanced'))).toThrow(
      failing('SCRAPE_PROXY_SELECTION_ERROR', /no enhanced proxy/),
    );
    const none = createUpstreams({ basic: [], enhanced: ['http://a'] });
    expect(none.select(to('basic', 'JP'))).toBeUndefined();
    expect(none.isElsewhere(to('basic', 'JP'))).toBe(false);
    expect(none.offers('basic')).toBe(false);
  });

  it('are those of the default country where the route has none', async () => {
    const [american, german] = [await http(), await http()];
    await get(egressBy([`de=${german.url}`, `us=${american.url}`]), 'http://site.test/');
    expect([american.targets.length, german.targets.length]).toEqual([1, 0]);
    await get(egressBy([`de=${german.url}`]), 'http://site.test/');
    expect(german.targets).toHaveLength(1);
  });

  it('have local proxies of their own for the browser', async () => {
    const [plain, french] = [await http(), await socks()];
    const door = closing(await startEgressProxy(egressBy([plain.url], [`fr=${french.url}`])));
    door.allowUser(process.getuid!());
    const enhanced = await door.forRoute(to('enhanced', 'FR'));
    expect(enhanced).toBe(await door.forRoute(to('enhanced', 'fr')));
    expect((await door.forRoute(to('basic'))).url).toBe(door.url);
    const { port: at } = new URL(enhanced.url);
    // A browser with a network of its own finds both there.
    const ports = (await door.doors()).map((each) => String(each.port));
    expect(ports).toEqual(expect.arrayContaining([String(door.port), at]));
    const answer = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(
        { host: '127.0.0.1', port: at, path: 'http://site.test/', headers: { host: 'site.test' } },
        resolve,
      ).end(),
    );
    expect(Buffer.concat(await answer.toArray()).toString()).toBe('site.test /');
    expect([plain.targets.length, french.targets.length]).toEqual([0, 1]);
    expect(await door.forRoute(to('enhanced', 'DE'))).toBe(await door.forRoute(to('enhanced')));
  });
});

it('a password may contain a stray %', () => {
  expect(createUpstreams({ basic: ['http://a:100%@b', 'http://a:%ff@b'], enhanced: [] })).toBeDefined();
});

it.each(['ftp://a:1', 'nonsense', 'de=', 'deu=http://a', 'socks4://a', 'http://'])(
  'the entry %s is refused with a message that does not contain it',
  (entry) => {
    expect(() => createUpstreams({ basic: ['http://fine', entry], enhanced: [] })).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(
          /^WINNOW_PROXIES_BASIC: entry 2 is not the URL of a proxy\. Write it as /,
        ),
      }),
    );
  },
);
