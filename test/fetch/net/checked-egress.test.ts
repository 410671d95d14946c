import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyOf } from '../../../src/errors.ts';
import { createEgress, type Egress, type EgressOptions } from '../../../src/fetch/net/checked-egress.ts';
import { toFetchError } from '../../../src/fetch/net/fetch-error.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';

const refused = expect.objectContaining({
  code: 'unsafe_domain_blocked',
  message: expect.stringMatching(/private or reserved.*WINNOW_ALLOW_PRIVATE/),
});

/** Errors of a DNS server (RFC 1035 4.1.1). */
const [SERVFAIL, NXDOMAIN, REFUSED] = [2, 3, 5];

let dns: TestDns;
const opened: Egress[] = [];

function open(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allowPrivate: [], dns: dns.address, ...options });
  opened.push(egress);
  return egress;
}

beforeAll(async () => {
  dns = await startDns({
    'public.test': ['93.184.216.34', '2606:4700::1111'],
    'four.test': ['93.184.216.34'],
    'six.test': ['2606:4700::1111'],
    'private.test': ['10.0.0.1'],
    'mixed.test': ['93.184.216.34', '127.0.0.1'],
    'mixed-families.test': ['93.184.216.34', 'fd00::1'],
    'mapped.test': ['::ffff:10.0.0.1'],
    'metadata.test': ['169.254.169.254'],
    'rebinding.test': [['127.0.0.1'], ['127.0.0.2']],
    'turning.test': [['127.0.0.1'], ['127.0.0.2']],
    'recovering.test': [['127.0.0.2'], ['127.0.0.1']],
    'localhost.test': ['127.0.0.1'],
    'servfail.test': () => SERVFAIL,
    'refused.test': () => REFUSED,
    'half.test': (type) => (type === 'A' ? [] : SERVFAIL),
    'other-half.test': (type) => (type === 'A' ? SERVFAIL : []),
    'absent-half.test': (type) => (type === 'A' ? SERVFAIL : NXDOMAIN),
    'empty.test': [],
    'one-family.test': (type) => (type === 'A' ? ['93.184.216.34'] : SERVFAIL),
    'slow.test': () => sleep(1_000, ['93.184.216.34']),
  });
});

afterAll(async () => {
  await Promise.all(opened.map((egress) => egress.close()));
  await dns.close();
});

describe('resolve', () => {
  it('returns every address of a public name', async () => {
    const egress = open();
    expect(await egress.resolve('Public.test')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await egress.resolve('four.test')).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await egress.resolve('six.test')).toEqual([{ address: '2606:4700::1111', family: 6 }]);
  });

  it('checks literals, with and without brackets', async () => {
    const egress = open();
    expect(await egress.resolve('[2606:4700::1111]')).toEqual([{ address: '2606:4700::1111', family: 6 }]);
    for (const host of ['127.0.0.1', '[::1]', '::ffff:127.0.0.1', '169.254.169.254']) {
      await expect(egress.resolve(host)).rejects.toEqual(refused);
    }
  });

  it.each(['private.test', 'mixed.test', 'mixed-families.test', 'mapped.test', 'metadata.test'])(
    'refuses %s for any one of its addresses',
    async (name) => {
      await expect(open().resolve(name)).rejects.toEqual(refused);
    },
  );

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'app.localhost'])(
    'treats %s as loopback',
    async (name) => {
      await expect(open().resolve(name)).rejects.toEqual(refused);
      expect(await open({ allowPrivate: ['127.0.0.0/8'] }).resolve(name)).toEqual([
        { address: '127.0.0.1', family: 4 },
      ]);
      expect(dns.questions.filter((question) => question.includes('localhost '))).toEqual([]);
    },
  );

  it.each(['0x7f.1', '2130706433', '0177.0.0.1', '127.1', 'localhost'])(
    'refuses %s with the system resolver, however that reads it',
    async (name) => {
      await expect(open({ dns: undefined }).resolve(name)).rejects.toEqual(refused);
    },
  );

  it('reports that a name does not resolve', async () => {
    await expect(open().resolve('absent.test')).rejects.toEqual(
      expect.objectContaining({
        code: 'SCRAPE_DNS_RESOLUTION_ERROR',
        message: 'The name absent.test does not resolve. Check its spelling.',
      }),
    );
  });

  it.each(['servfail.test', 'refused.test', 'half.test', 'other-half.test'])(
    'reports a resolver error for %s, because the DNS server did not say that the name does not exist',
    async (name) => {
      await expect(open().resolve(name)).rejects.toEqual(
        expect.objectContaining({
          code: 'SCRAPE_DNS_SERVER_ERROR',
          message: expect.stringMatching(
            `^The name ${name} could not be looked up: the DNS server could not answer .E[A-Z]+.. Try again later.$`,
          ),
        }),
      );
    },
  );

  it('waits for a slow name, however quickly the DNS server answered for others', async () => {
    const egress = open({ dnsTtlMs: 0 });
    for (let lookups = 0; lookups < 20; lookups++) await egress.resolve('four.test');
    expect(await egress.resolve('slow.test')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it('uses a definite result although the lookup of the other record type failed', async () => {
    for (const name of ['absent-half.test', 'empty.test']) {
      await expect(open().resolve(name)).rejects.toEqual(
        expect.objectContaining({ code: 'SCRAPE_DNS_RESOLUTION_ERROR' }),
      );
    }
    expect(await open().resolve('one-family.test')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it.each([
    ['ENOTFOUND', 'SCRAPE_DNS_RESOLUTION_ERROR', 1, false],
    ['EAI_AGAIN', 'SCRAPE_DNS_SERVER_ERROR', 0, true],
    ['EAI_FAIL', 'SCRAPE_DNS_SERVER_ERROR', 0, true],
    ['ESERVFAIL', 'SCRAPE_DNS_SERVER_ERROR', 0, true],
    ['EREFUSED', 'SCRAPE_DNS_SERVER_ERROR', 0, true],
    ['ETIMEOUT', 'SCRAPE_DNS_SERVER_ERROR', 0, true],
  ])(
    'reports a lookup that fails with %s as %s, which costs %s credits and is transient: %s',
    (code, made, credits, passes) => {
      const syscall = code.startsWith('EAI') ? 'getaddrinfo' : 'queryA';
      const failure = toFetchError(Object.assign(new Error('failed'), { code, syscall }), 'a.test');
      expect(failure.code).toBe(made);
      const { credits: price = 0, retry } = policyOf(failure.code);
      expect(price).toBe(credits);
      expect(retry !== 'never').toBe(passes);
    },
  );

  it('looks a name up once for concurrent requests, and again after the time to live', async () => {
    const allowPrivate = ['127.0.0.1/32'];
    const egress = open({ allowPrivate });
    await Promise.all(Array.from({ length: 5 }, () => egress.resolve('localhost.test')));
    expect(dns.questions.filter((question) => question === 'localhost.test A')).toHaveLength(1);
    const forgetful = open({ allowPrivate, dnsTtlMs: 0 });
    expect(await forgetful.resolve('turning.test')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(forgetful.resolve('turning.test')).rejects.toEqual(refused);
  });

  it('does not cache failures', async () => {
    const egress = open({ allowPrivate: ['127.0.0.1/32'] });
    await expect(egress.resolve('recovering.test')).rejects.toEqual(refused);
    expect(await egress.resolve('recovering.test')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  it('reports a DNS server that it cannot parse', () => {
    expect(() => createEgress({ allowPrivate: [], dns: 'resolver.example' })).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('"resolver.example"'),
      }),
    );
  });
});

describe('dispatcher', () => {
  const servers: Server[] = [];
  let port: number;
  let secretRequests = 0;

  async function listen(server: Server, host: string, at: number): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(at, host, resolve));
    return (server.address() as AddressInfo).port; // a TCP server's address is never a string
  }

  beforeAll(async () => {
    port = await listen(
      createServer((_, response) => response.end('allowed')),
      '127.0.0.1',
      0,
    );
    const secret = createServer((_, response) => {
      secretRequests++;
      response.end('secret');
    });
    await listen(secret, '127.0.0.2', port);
  });

  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  it('connects to the address that was checked, whatever DNS says next', async () => {
    const dispatcher = open({ allowPrivate: ['127.0.0.1/32'], dnsTtlMs: 0 }).dispatcher({
      skipTlsVerification: true,
    });
    const url = `http://rebinding.test:${port}/`;
    const { body } = await request(url, { dispatcher, reset: true });
    expect(await body.text()).toBe('allowed');
    await expect(request(url, { dispatcher })).rejects.toEqual(refused);
    expect(dns.questions.filter((question) => question === 'rebinding.test A')).toHaveLength(2);
    expect(secretRequests).toBe(0);
  });

  it('refuses IP addresses, which sockets never look up', async () => {
    const dispatcher = open({ allowPrivate: ['127.0.0.1/32'] }).dispatcher({ skipTlsVerification: false });
    const { body } = await request(`http://127.0.0.1:${port}/`, { dispatcher });
    expect(await body.text()).toBe('allowed');
    await expect(request(`http://127.0.0.2:${port}/`, { dispatcher })).rejects.toEqual(refused);
    expect(secretRequests).toBe(0);
  });

  it('tries the other address family of localhost when one does not respond', async () => {
    const egress = open({ allowPrivate: ['127.0.0.0/8', '::1'] });
    const six = createServer((_, response) => response.end('six'));
    const at = await listen(six, '::1', 0);
    const dispatcher = egress.dispatcher({ skipTlsVerification: true });
    const { body } = await request(`http://localhost:${at}/`, { dispatcher });
    expect(await body.text()).toBe('six');
  });
});
