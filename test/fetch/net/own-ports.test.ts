import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { createOwnPorts } from '../../../src/fetch/net/own-ports.ts';
import { startPages } from '../../support/sites/pages.ts';

const external = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each && !each.internal ? [each.address] : []));

describe('the ports of the service', () => {
  const ports = createOwnPorts([
    { host: '127.0.0.1', port: 3002 },
    { host: '0.0.0.0', port: 3004 },
    { host: '[::1]', port: 3005 },
    { host: 'localhost', port: 5432 },
    { host: '10.1.2.3', port: 7233 },
    { host: 'nowhere.invalid', port: 3900 },
  ]);
  const THIS = [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    ...external,
  ];

  it.each(THIS)('are own ones at %s of this machine, however a part of the service was named', async (ip) => {
    for (const port of [3002, 3004, 3005, 5432]) expect(await ports.includes(ip, port), `${port}`).toBe(true);
  });

  it('are own ones at the address of another machine', async () => {
    expect(await ports.includes('10.1.2.3', 7233)).toBe(true);
    expect(await ports.includes('::ffff:10.1.2.3', 7233)).toBe(true);
  });

  it.each([
    ['127.0.0.1', 3003],
    ['127.0.0.1', 7233],
    ['10.1.2.4', 7233],
    ['10.1.2.3', 3002],
    ['93.184.216.34', 3002],
    ['127.0.0.1', 3900],
  ])('do not include those of others: %s port %i', async (ip, port) => {
    expect(await ports.includes(ip, port)).toBe(false);
  });

  it('follow the hosts of browser sessions, which come and go', async () => {
    const changing = createOwnPorts();
    changing.replaceOthers([{ host: '10.0.0.7', port: 3004 }]);
    expect([changing.mayInclude(3004), await changing.includes('10.0.0.7', 3004)]).toEqual([true, true]);
    changing.replaceOthers([]);
    expect([changing.mayInclude(3004), await changing.includes('10.0.0.7', 3004)]).toEqual([false, false]);
  });
});

describe('an egress that may fetch from every address of this machine', () => {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of closing.splice(0).reverse()) await each.close();
  });
  const openEgress = (port: number): Egress => {
    const ownPorts = createOwnPorts([{ host: '127.0.0.1', port }]);
    const egress = createEgress({ allowPrivate: ['127.0.0.0/8', '::1/128'], ownPorts });
    closing.push(egress);
    return egress;
  };
  const status = async (egress: Egress, url: string) => {
    const dispatcher = egress.dispatcher({ skipTlsVerification: false });
    const { statusCode, body } = await dispatcher.request({ ...splitUrl(url), method: 'GET' });
    await body.dump();
    return statusCode;
  };
  const splitUrl = (url: string) => ({ origin: new URL(url).origin, path: new URL(url).pathname });
  const refused = expect.objectContaining({
    code: 'unsafe_domain_blocked',
    message: expect.stringContaining('a part of this service itself'),
  });

  it.each(['127.0.0.1', 'localhost'])(
    'refuses the ports of the service at %s, and no others',
    async (host) => {
      await using own = await startPages({ '/': 'the API' });
      await using site = await startPages({ '/': 'a site' });
      const egress = openEgress(Number(new URL(own.url).port));
      const at = (url: string) => `http://${host}:${new URL(url).port}/`;
      await expect(status(egress, at(own.url))).rejects.toEqual(refused);
      const target = { hostname: host, port: Number(new URL(own.url).port) };
      await expect(egress.connect(target, undefined)).rejects.toEqual(refused);
      expect(await status(egress, at(site.url))).toBe(200);
      expect(own.requests).toEqual([]);
    },
  );

  it('refuses the port of its proxy', async () => {
    const egress = openEgress(1);
    const proxy = await startEgressProxy(egress);
    closing.push(proxy);
    await expect(egress.connect({ hostname: '127.0.0.1', port: proxy.port }, undefined)).rejects.toEqual(
      refused,
    );
  });
});
