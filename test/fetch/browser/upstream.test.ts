import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { wholeText } from '../../../src/content/source-text.ts';
import { BrowserPool } from '../../../src/fetch/browser/chromium/browser-pool.ts';
import { launchChromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import { createBrowserEngine } from '../../../src/fetch/engines/browser-engine.ts';
import { type Engine, type PageRequest, PLAIN_PAGE } from '../../../src/fetch/engines/engine.ts';
import { createEgress, type Egress } from '../../../src/fetch/net/checked-egress.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { USER_AGENT } from '../../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { openBlobs } from '../../../src/storage/blobs/index.ts';
import { createLogger } from '../../../src/system/logger.ts';
import { startDns, type TestDns } from '../../support/network/dns.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../../support/network/upstream-proxies.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/**
 * Chromium behind the operator's proxies. No address of this machine may be fetched: all pages come through
 * them.
 */
let dns: TestDns;
let pages: Pages;
let basic: TestProxy;
let german: TestProxy;
let enhanced: TestProxy;
let egress: Egress;
let door: EgressProxy;
let pool: BrowserPool;
let engine: Engine;
let directory: string;

const html = (body: string) =>
  `<!doctype html><html><head><title>T</title></head><body>${body}</body></html>`;

beforeAll(async () => {
  dns = await startDns({
    'site.test': ['93.184.216.34'],
    'other.test': ['93.184.216.35'],
    'inside.test': ['10.0.0.1'],
  });
  pages = await startPages({
    '/': html(`<p>Arrived</p><p id="said"></p><script>
      fetch('http://other.test/api', { mode: 'no-cors' }).then(() => { said.textContent = 'fetched' });
      fetch('http://inside.test/secret').catch(() => undefined);
      fetch('http://127.0.0.1/secret').catch(() => undefined);
    </script>`),
    '/api': '{}',
  });
  const port = Number(new URL(pages.url).port);
  basic = await startHttpProxy({ port });
  german = await startSocksProxy({ port });
  enhanced = await startHttpProxy({ port });
  egress = createEgress({
    allowPrivate: [],
    dns: dns.address,
    proxies: { basic: [basic.url, `de=${german.url}`], enhanced: [enhanced.url] },
  });
  door = await startEgressProxy(egress);
  const { path: executablePath } = await findChromium(readConfig({}));
  const logger = createLogger('worker', 'fatal');
  pool = new BrowserPool({
    launch: () => launchChromium({ executablePath, proxy: door, logger }),
    logger,
    contexts: 2,
  });
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-test-'));
  const blobs = await openBlobs(directory, 'results');
  engine = createBrowserEngine({ ...DOORS, pool, egress, proxy: door, blobs });
});

afterAll(async () => {
  await pool.close();
  await Promise.all([door.close(), egress.close(), dns.close(), pages[Symbol.asyncDispose]()]);
  await Promise.all([basic, german, enhanced].map((proxy) => proxy.close()));
  await rm(directory, { recursive: true, force: true });
});

function obtain(url: string, options: Partial<PageRequest> = {}) {
  for (const { targets } of [basic, german, enhanced]) targets.length = 0;
  return engine.fetchPage({ sourceUrl: url, url, ...PLAIN_PAGE, ...options }, AbortSignal.timeout(150_000));
}

/** Nothing here has a profile, or blocks anything. */
const DOORS = {
  profiles: { open: () => Promise.reject(new Error('no profile was asked for')) },
  userAgent: USER_AGENT,
  maxBodyBytes: 1_000_000,
  adBlocker: undefined,
  logger: createLogger('worker', 'fatal'),
};
const IN_GERMANY = { location: { country: 'DE' } };

describe('a page and its resources', () => {
  it.each<[string, Partial<PageRequest>, () => TestProxy]>([
    ['the basic proxies', {}, () => basic],
    ['those of a country', IN_GERMANY, () => german],
    ['the enhanced ones', { proxy: 'enhanced' }, () => enhanced],
  ])('goes through %s', async (_name, options, expected) => {
    const snapshot = await obtain('http://site.test/', options);
    expect(snapshot.text).toContain('Arrived');
    expect(snapshot.text).toContain('fetched');
    expect(snapshot.proxy).toBe(options.proxy ?? 'basic');
    // Neither what leads inside nor this machine was asked for.
    expect(new Set(expected().targets)).toEqual(new Set(['93.184.216.34:80', '93.184.216.35:80']));
    const others = [basic, german, enhanced].filter((proxy) => proxy !== expected());
    expect(others.flatMap(({ targets }) => targets)).toEqual([]);
    expect(pages.requests.map(({ path: asked }) => asked)).not.toContain('/secret');
  });

  it('are not loaded from private IP addresses', async () => {
    await expect(obtain('http://inside.test/')).rejects.toMatchObject({ code: 'unsafe_domain_blocked' });
    expect(basic.targets).toEqual([]);
  });

  it('come through a proxy of another country when none is in the requested one', async () => {
    const snapshot = await obtain('http://site.test/', { location: { country: 'FR' } });
    expect(snapshot).toMatchObject({ text: expect.stringContaining('Arrived'), timezone: 'Europe/Paris' });
    expect(basic.targets).toContain('93.184.216.34:80');
    expect(german.targets).toEqual([]);
  });
});

describe('traffic that bypasses proxies', () => {
  it('does not exist, also with WebRTC', async () => {
    const stun = createSocket('udp4');
    let packets = 0;
    stun.on('message', () => packets++);
    stun.bind(0, '127.0.0.1');
    await once(stun, 'listening');
    const server = `stun:127.0.0.1:${stun.address().port}`;
    await using page = await startPages({
      '/': html(`<p id="said">gathering</p><script>
        const peer = new RTCPeerConnection({ iceServers: [{ urls: '${server}' }] });
        const found = [];
        peer.onicecandidate = ({ candidate }) => candidate && found.push(candidate.candidate);
        peer.onicegatheringstatechange = () => {
          if (peer.iceGatheringState === 'complete') said.textContent = 'found ' + JSON.stringify(found);
        };
        peer.createDataChannel('x');
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      </script>`),
    });
    const direct = await startHttpProxy({ port: Number(new URL(page.url).port) });
    const through = createEgress({
      allowPrivate: [],
      dns: dns.address,
      proxies: { basic: [direct.url], enhanced: [] },
    });
    const proxy = await startEgressProxy(through);
    const blobs = await openBlobs(directory, 'results');
    const { path: executablePath } = await findChromium(readConfig({}));
    const logger = createLogger('worker', 'fatal');
    const own = new BrowserPool({
      launch: () => launchChromium({ executablePath, proxy, logger }),
      logger,
      contexts: 1,
    });
    const outside = createBrowserEngine({ ...DOORS, pool: own, egress: through, proxy, blobs });
    try {
      // On a busy machine the page may be read before it has gathered.
      const text = await pollUntil(async () => {
        const page = { sourceUrl: '', url: 'http://site.test/', ...PLAIN_PAGE, waitForMs: 2_000 };
        const snapshot = await outside.fetchPage(page, AbortSignal.timeout(150_000));
        const text = wholeText(snapshot.text);
        return /<p id="said">found/.test(text) && text;
      });
      expect(text).toContain('found []');
      expect(packets).toBe(0);
    } finally {
      await own.close();
      await Promise.all([proxy.close(), through.close(), direct.close()]);
      stun.close();
    }
  });
});
