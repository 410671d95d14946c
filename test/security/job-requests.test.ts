import { afterEach, describe, expect, inject, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { startPages } from '../support/sites/pages.ts';
import { ALLOWED, expectSilence, heardOf } from './canary.ts';

/** What jobs request beside the pages that the user names: robots.txt, sitemaps, links, webhooks. */

const { port } = inject('canary');

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
    await expect.poll(allowed).toMatchObject({ status: 'delivered' });
    expect(heardOf('POST /hooked')).toBe(true);
    for (const host of INSIDE) {
      const delivery = await send(`http://${host}:${port}/hooked`);
      await expect.poll(delivery).toMatchObject({ status: 'failed' });
    }
    await send(`${site.url}/hook`);
    await expect.poll(() => site.requests.some(({ path }) => path === '/hook')).toBe(true);
  });
});
