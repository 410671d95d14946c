import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/**
 * The log of the worker about jobs: each event once, and a warning only if the operator has to act.
 * `faults.test.ts` runs these tests first, because its service logs everything, and nobody else has used it
 * until then.
 */

interface Line {
  level: number;
  msg: string;
  [field: string]: unknown;
}
const INFO = 30;
const WARN = 40;

const service = useService();
let pages: Pages;
let held = Promise.withResolvers<void>();
beforeAll(async () => {
  pages = await startPages({
    '/reset': (request) => request.socket.destroy(),
    '/reset-too': (request) => request.socket.destroy(),
    // It does not end.
    '/sitemap.xml': (_request, response) =>
      void response.writeHead(200).write('<?xml version="1.0"?><urlset>'),
    '/held': async (_request, response) => {
      await held.promise;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>A page that was held back.</p>');
    },
    '/': '<main><h1>Start</h1><p>A page with two sentences. This is one.</p></main>',
  });
});
afterAll(() => pages[Symbol.asyncDispose]());
const temporal = useTemporal(service);

const request = (route: string, init: Parameters<typeof call>[1] = {}) =>
  call(route, { ...init, url: service.url, key: service.key });

async function readLog(): Promise<Line[]> {
  const text = await readFile(path.join(service.dataDir, 'logs', 'worker.log'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

/** The lines that say something, once there is one like that. */
async function linesWith(text: string): Promise<Line[]> {
  const find = async () => (await readLog()).filter(({ msg }) => msg.includes(text));
  await expect.poll(find).not.toEqual([]);
  return find();
}

describe('the log of the worker', () => {
  it('contains the reason of a failed scrape once, without a warning', async () => {
    const { body } = await request('/v2/scrape', { body: { url: `${pages.url}/reset` } });
    const lines = await linesWith('SCRAPE_SITE_ERROR');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: INFO, code: 'SCRAPE_SITE_ERROR', workflowType: 'scrape' });
    expect(lines[0]?.msg).toBe(`${lines[0]?.workflowId} failed: SCRAPE_SITE_ERROR: ${body.error}`);
  });

  it('contains only the error code of a failed scrape with zero data retention', async () => {
    await request('/v2/scrape', { body: { url: `${pages.url}/reset-too`, zeroDataRetention: true } });
    const [line] = await linesWith('(encrypted)');
    expect(line?.msg).toMatch(/^scrape\/[\w-]+ failed: SCRAPE_SITE_ERROR: \(encrypted\)$/);
    expect(JSON.stringify(await readLog())).not.toContain('sealed:');
  });

  it('contains no warning about pages and sitemaps that are still read when their crawl has ended', async () => {
    const limited = await request('/v2/crawl', { body: { url: pages.url, limit: 1 } });
    await expect
      .poll(async () => (await request(`/v2/crawl/${limited.body.id}`)).body.status)
      .toBe('completed');
    const outlived = async () => {
      const before = pages.requests.length;
      const { body } = await request('/v2/crawl', {
        body: { url: `${pages.url}/held`, sitemap: 'skip', scrapeOptions: { maxAge: 0 } },
      });
      await expect
        .poll(() => pages.requests.slice(before).some((request) => request.path === '/held'))
        .toBe(true);
      await request(`/v2/crawl/${body.id}`, { method: 'DELETE' });
      const workflow = temporal.workflow(`crawl/${body.id}`);
      await expect(workflow.result()).rejects.toThrow();
      // The workflow has ended, and the activity has not heard of it.
      held.resolve();
      held = Promise.withResolvers();
      return (await readLog()).some(({ msg }) => msg.startsWith('Activity not found on completion'));
    };
    // An activity that hears of the cancellation before it is done reports nothing.
    await expect.poll(outlived, { interval: 2_000 }).toBe(true);
    const warnings = (await readLog()).filter(({ level }) => level >= WARN);
    expect(warnings).toEqual([]);
  });
});
