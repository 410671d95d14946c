import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';

/** Programs of this machine that want to fetch through the proxy of the service. */

let egress: Egress;
let proxy: EgressProxy;
let site: Pages;
beforeAll(async () => {
  egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  proxy = await startEgressProxy(egress);
  site = await startPages({ '/': 'a page' });
});
afterAll(async () => {
  await proxy.close();
  await egress.close();
  await site[Symbol.asyncDispose]();
});

const basic = (userinfo: string) => `Basic ${Buffer.from(userinfo).toString('base64')}`;
const withSecret = () => {
  const { username, password } = new URL(proxy.authorizedUrl);
  return basic(`${username}:${password}`);
};

async function plain(authorization?: string): Promise<number | undefined> {
  const headers = authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
  const [response]: IncomingMessage[] = await once(
    get({ host: '127.0.0.1', port: proxy.port, path: `${site.url}/`, headers, agent: false }),
    'response',
  );
  response?.resume();
  return response?.statusCode;
}

async function tunnel(authorization?: string): Promise<number | undefined> {
  const headers = authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
  const { host: path } = new URL(site.url);
  const asking = request({
    host: '127.0.0.1',
    port: proxy.port,
    method: 'CONNECT',
    path,
    headers,
    agent: false,
  });
  asking.end();
  const [response, socket] = await once(asking, 'connect');
  socket.destroy();
  return response.statusCode;
}

describe.each([
  ['a plain request', plain],
  ['a tunnel', tunnel],
])('the egress proxy asks for its secret before %s', (_name, ask) => {
  it.each([
    undefined,
    basic('winnow:'),
    basic('winnow:guessed'),
    basic(':'),
    'Basic',
    'Bearer x',
    'Basic %%%',
  ])('and refuses %j', async (authorization) => {
    site.requests.length = 0;
    expect([400, 407]).toContain(await ask(authorization));
    expect(site.requests).toEqual([]);
  });

  it('and serves whoever knows it', async () => {
    expect(await ask(withSecret())).toBe(200);
  });

  it.runIf(process.platform === 'linux')('and serves only the user of a browser without it', async () => {
    const other = await startEgressProxy(egress);
    const own = proxy;
    proxy = other;
    try {
      proxy.allowUser(process.getuid!() + 1);
      expect(await ask()).toBe(407);
      proxy.allowUser(process.getuid!());
      expect(await ask()).toBe(200);
    } finally {
      proxy = own;
      await other.close();
    }
  });
});

it('the secret is another one for each proxy, and not part of its URL for browsers', async () => {
  const other = await startEgressProxy(egress);
  expect(new URL(proxy.url).password).toBe('');
  expect(new URL(other.authorizedUrl).password).not.toBe(new URL(proxy.authorizedUrl).password);
  await other.close();
});
