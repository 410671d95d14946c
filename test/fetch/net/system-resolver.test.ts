import { promises as system } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResolver } from '../../../src/fetch/net/resolver.ts';
import { type Resolver, type SystemLookup, SystemResolver } from '../../../src/fetch/net/system-resolver.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';

/** Names as the operating system resolves them, without its threads where DNS knows them. */

const FOUND = [{ address: '192.0.2.1', family: 4 as const }];
const SERVFAIL = 2;
/** More would not fit into the buffer of the socket that receives all questions at the same moment. */
const UNANSWERED = 60;
const NEVER = new Promise<string[]>(() => undefined);
const opened: Resolver[] = [];
let dns: TestDns;

beforeAll(async () => {
  const silent = Object.fromEntries(
    Array.from({ length: UNANSWERED }, (_, n) => [`${n}.silent.test`, () => NEVER] as const),
  );
  dns = await startDns({ ...silent, 'known.test': ['192.0.2.1'], 'broken.test': () => SERVFAIL });
});

afterAll(async () => {
  for (const resolver of opened) resolver.close();
  await dns.close();
});

/** A resolver, and the names for which it took a thread of the operating system. */
function open(lookUp: SystemLookup) {
  const asked: string[] = [];
  const resolver = new SystemResolver(createResolver(dns.address), (name) => {
    asked.push(name);
    return lookUp(name);
  });
  opened.push(resolver);
  return { asked, resolve: resolver.resolve.bind(resolver) };
}

const absent = () => Promise.reject(Object.assign(new Error('absent'), { code: 'ENOTFOUND' }));

describe('the names of the operating system', () => {
  it('resolve while dozens of others are never answered, and take no thread for it', async () => {
    const { asked, resolve } = open(absent);
    const unanswered = Array.from({ length: UNANSWERED }, (_, n) => resolve(`${n}.silent.test`));
    for (const each of unanswered) each.catch(() => undefined);
    expect(await resolve('known.test')).toEqual(FOUND);
    expect(asked).toEqual([]);
  });

  it('come from its hosts file first', async () => {
    const { asked, resolve } = open(async (name) => {
      const [first] = await system.lookup(name, { all: true });
      return first ? FOUND : [];
    });
    expect(await resolve('localhost')).toEqual(FOUND);
    expect([asked, dns.questions]).toEqual([['localhost'], expect.not.arrayContaining(['localhost A'])]);
  });

  it('may be unknown to DNS, and then one is looked up at a time, in turns between sites', async () => {
    const first = Promise.withResolvers<typeof FOUND>();
    const { asked, resolve } = open((name) =>
      name === '1.hostile.test' ? first.promise : Promise.resolve(FOUND),
    );
    const hostile = [resolve('1.hostile.test')];
    await expect.poll(() => asked).toEqual(['1.hostile.test']);
    hostile.push(resolve('2.hostile.test'), resolve('3.hostile.test'));
    await expect.poll(() => dns.questions).toContain('3.hostile.test AAAA');
    const honest = resolve('wiki.lan');
    await expect.poll(() => dns.questions).toContain('wiki.lan AAAA');
    expect(asked).toEqual(['1.hostile.test']);
    first.resolve(FOUND);
    expect(await honest).toEqual(FOUND);
    await Promise.all(hostile);
    expect(asked.indexOf('wiki.lan')).toBeLessThan(asked.indexOf('3.hostile.test'));
  });

  it('may be unknown to DNS, and then teams take turns, whatever the names of pages in the browser are', async () => {
    const first = Promise.withResolvers<typeof FOUND>();
    const { asked, resolve } = open((name) =>
      name === 'first.test' ? first.promise : Promise.resolve(FOUND),
    );
    const hostile = [resolve('first.test', 'hostile')];
    await expect.poll(() => asked).toEqual(['first.test']);
    const names = Array.from({ length: 20 }, (_, n) => `site${n}.example`);
    hostile.push(
      ...names.map((name) => resolve(name, 'hostile')),
      ...names.map((name) => resolve(`in.${name}`)),
    );
    await expect.poll(() => dns.questions).toContain('in.site19.example AAAA');
    await expect.poll(() => dns.questions).toContain('site19.example AAAA');
    const honest = resolve('intranet.lan', 'honest');
    await expect.poll(() => dns.questions).toContain('intranet.lan AAAA');
    expect(asked).toEqual(['first.test']);
    first.resolve(FOUND);
    expect(await honest).toEqual(FOUND);
    await Promise.all(hostile);
    // One of the hostile team, one of the browser.
    expect(asked.indexOf('intranet.lan')).toBeLessThanOrEqual(3);
  });

  it('that nobody knows do not exist, and a server that fails is not asked again by a thread', async () => {
    const { asked, resolve } = open(absent);
    await expect(resolve('unknown.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolve('broken.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(asked).toEqual(['unknown.test']);
  });
});
