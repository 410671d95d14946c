import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { call, scrape } from '../support/api.ts';
import { finished, startJob } from '../support/jobs.ts';
import { startPages } from '../support/pages.ts';
import { chromiumProcesses } from '../support/processes.ts';
import { useService } from '../support/use-service.ts';
import { ALLOWED, expectSilence, heardOf, sightings } from './canary.ts';
import { proxyEnvironment } from './setup.ts';

/** All that fetches beside pages, and all ports of the service itself. */

const service = useService();

const { port } = inject('canary');

const ENGINES = [
  ['the plain fetch', { fastMode: true }],
  ['the browser', { waitFor: 1 }],
] as const;

const INSIDE = ['127.0.0.1', '[::1]', 'inside.test', 'localhost'];
const page = (body: string) => `<!doctype html><title>Page</title><main>${body}</main>`;

afterEach(expectSilence);

describe('a job', () => {
  /** A crawl or map of a site that points all over the place. */
  async function walk(path: '/v2/crawl' | '/v2/map', files: Record<string, string>) {
    await using site = await startPages(
      { '/': page('<a href="/two">Two</a>'), '/two': page('Two'), ...files },
      ALLOWED,
    );
    const url = `${site.url}/`;
    if (path === '/v2/map') return (await call(path, { body: { url, ignoreCache: true } })).body;
    return await finished(path, await startJob(path, { url, limit: 20 }));
  }

  describe.each(['/v2/crawl', '/v2/map'] as const)('%s', (path) => {
    it('follows no redirect of robots.txt to a private IP address', async () => {
      const kind = path.slice(4);
      const redirecting = async (host: string) => {
        await using site = await startPages(
          {
            '/': page('Home'),
            '/robots.txt': (_request, response) =>
              response.writeHead(302, { Location: `http://${host}:${port}/${kind}-robots` }).end(),
          },
          ALLOWED,
        );
        const url = `${site.url}/`;
        if (path === '/v2/map') await call(path, { body: { url, ignoreCache: true } });
        else await finished(path, await startJob(path, { url, limit: 5 }));
      };
      await redirecting(ALLOWED);
      expect(heardOf(`/${kind}-robots`)).toBe(true);
      for (const host of INSIDE) await redirecting(host);
    });

    it('reads no sitemap at a private IP address', async () => {
      const kind = path.slice(4);
      const robots = [ALLOWED, ...INSIDE].map((host) => `Sitemap: http://${host}:${port}/${kind}-named.xml`);
      const nested = [ALLOWED, ...INSIDE].map(
        (host) => `<sitemap><loc>http://${host}:${port}/${kind}-nested.xml</loc></sitemap>`,
      );
      await walk(path, {
        '/robots.txt': `User-agent: *\nAllow: /\n${robots.join('\n')}\nSitemap: /index.xml`,
        '/index.xml': `<sitemapindex>${nested.join('')}</sitemapindex>`,
      });
      expect(heardOf(`/${kind}-named.xml`)).toBe(true);
    });
  });

  it('of a crawl follows no link to a private IP address and requests no robots.txt there', async () => {
    const links = [ALLOWED, ...INSIDE].map(
      (host) => `<a href="http://${host}:${port}/crawl-link">${host}</a>`,
    );
    await using site = await startPages({ '/': page(links.join('')) }, ALLOWED);
    const id = await startJob('/v2/crawl', {
      url: `${site.url}/`,
      allowExternalLinks: true,
      sitemap: 'skip',
    });
    await finished('/v2/crawl', id);
    expect(heardOf('/crawl-link')).toBe(true);
  });

  it('of a batch lists each refused URL among its errors', async () => {
    const hosts = [ALLOWED, ...INSIDE];
    const urls = hosts.map((host) => `http://${host}:${port}/batch`);
    const id = await startJob('/v2/batch/scrape', { urls });
    const { completed } = await finished('/v2/batch/scrape', id);
    const { body } = await call(`/v2/batch/scrape/${id}/errors`);
    expect(heardOf('GET /batch ')).toBe(true);
    expect(completed).toBeGreaterThan(0);
    expect(body.errors.map(({ url, code }: { url: string; code: string }) => [url, code]).sort()).toEqual(
      urls
        .slice(1)
        .map((url) => [url, 'unsafe_domain_blocked'])
        .sort(),
    );
  });

  it('sends no webhook to a private IP address, directly or by redirect', async () => {
    await using site = await startPages(
      {
        '/': page('Home'),
        '/hook': (_request, response) =>
          response.writeHead(307, { Location: `http://127.0.0.1:${port}/hooked` }).end(),
      },
      ALLOWED,
    );
    const send = async (webhook: string) => {
      const id = await startJob('/v2/batch/scrape', {
        urls: [`${site.url}/`],
        webhook: { url: webhook, events: ['completed'] },
      });
      await finished('/v2/batch/scrape', id);
      return async () => (await call(`/v2/webhooks/deliveries?jobId=${id}`)).body.data[0];
    };
    const allowed = await send(`http://${ALLOWED}:${port}/hooked`);
    await expect.poll(allowed, { timeout: 20_000 }).toMatchObject({ status: 'delivered' });
    expect(heardOf('POST /hooked')).toBe(true);
    for (const host of INSIDE) {
      const delivery = await send(`http://${host}:${port}/hooked`);
      await expect.poll(delivery, { timeout: 20_000 }).toMatchObject({ status: 'failed' });
    }
    await send(`${site.url}/hook`);
    await expect
      .poll(() => site.requests.some(({ path }) => path === '/hook'), { timeout: 20_000 })
      .toBe(true);
  });
});

describe('the ports of the service', () => {
  async function ownPorts(): Promise<[string, string][]> {
    const run = service.readRunFile();
    const urls = Object.entries(run.urls).map(([name, url]): [string, string] => [
      name,
      /:(\d+)(?!.*:\d)/.exec(url)![1]!,
    ]);
    const [browser] = chromiumProcesses();
    const proxy = /--proxy-server=\S+:(\d+)/.exec(browser!.command)![1]!;
    return [...urls, ['the egress proxy', proxy]];
  }

  it('accept connections from this machine', async () => {
    const names = (await ownPorts()).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['api', 'temporal', 'the egress proxy']));
    for (const [, own] of await ownPorts()) {
      const socket = connect(Number(own), '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    }
  });

  it.each(ENGINES)('are refused to %s', async (_name, options) => {
    for (const [name, own] of await ownPorts()) {
      for (const host of INSIDE) {
        const { body } = await scrape({ url: `http://${host}:${own}/`, maxAge: 0, ...options });
        expect(body, name).toMatchObject({ success: false, code: 'unsafe_domain_blocked' });
      }
    }
  });

  it('are refused to scripts of a page', async () => {
    const ports = (await ownPorts()).map(([, own]) => own);
    const addresses = [
      `http://${ALLOWED}:${port}/`,
      ...ports.flatMap((own) => INSIDE.map((host) => `http://${host}:${own}/`)),
    ];
    await using site = await startPages(
      {
        '/': `<main id="found"></main><script>
          Promise.all(${JSON.stringify(addresses)}.map((address) =>
            fetch(address, { mode: 'no-cors' }).then(() => address, () => '')))
            .then((reached) => { found.textContent = 'Reached: ' + reached.filter(Boolean).join(' '); });
        </script>`,
      },
      ALLOWED,
    );
    const { body } = await scrape({ url: `${site.url}/`, waitFor: 1_000, maxAge: 0, formats: ['rawHtml'] });
    expect(/Reached: ([^<]*)<\/main>/.exec(body.data.rawHtml)?.[1]).toBe(addresses[0]);
  });
});

describe('the route of a request', () => {
  it('ignores the proxy variables of the environment', async () => {
    const env = { ...process.env, ...proxyEnvironment(port) };
    // One request by one connection: a killed one would leave an empty sighting.
    const script = `require('node:http').get('http://control-proxy.test/', (answer) => answer.resume())`;
    await once(spawn(process.execPath, ['-e', script], { env, stdio: 'inherit' }), 'exit');
    // Node goes by it, so the variables mean something; the service was started with the same ones.
    expect(sightings().some(({ head }) => head.includes('control-proxy.test'))).toBe(true);
  });

  const inside = `127.0.0.1:${port}`;
  const forged = {
    'X-Forwarded-Host': inside,
    'X-Original-URL': `http://${inside}/`,
    Forwarded: `host=${inside}`,
  };
  const send = (mark: string, options: Record<string, unknown>) =>
    scrape({ url: `http://open.test:${port}/${mark}`, maxAge: 0, timeout: 10_000, ...options });

  it.each(ENGINES)('is not changed by forwarding headers, in %s', async (name, options) => {
    const mark = `forged-${name.replaceAll(' ', '-')}`;
    await send(mark, { ...options, headers: forged });
    expect(heardOf(`GET /${mark} `)).toBe(true);
  });

  it('is not changed by a Host header, in the plain fetch', async () => {
    await send('host-plain', { fastMode: true, headers: { Host: inside } });
    expect(heardOf('GET /host-plain ')).toBe(true);
  });

  it('is not changed by a Host header, in the browser', async () => {
    await send('host-browser', { waitFor: 1, timeout: 5_000, headers: { Host: inside } });
    expectSilence();
  });

  // Chromium refuses to override Host, and the request that visit.ts paused for its headers is never continued.
  it('does not fail because of a Host header in the browser', async () => {
    const { body } = await send('host-left-out', { waitFor: 1, timeout: 30_000, headers: { Host: inside } });
    expect(body.success).toBe(true);
  });
});
