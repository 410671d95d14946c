import { Firecrawl } from 'firecrawl';
import { beforeAll, expect, it } from 'vitest';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The official JavaScript SDK, unchanged, with monitors. */

const service = useService();
let client: Firecrawl;
beforeAll(() => {
  client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
});

const page = (text: string) =>
  `<!doctype html><title>A page</title><main><h1>A page</h1><p>${text}</p></main>`;

it('creates, reads, lists, changes, runs and deletes a monitor', async () => {
  let text = 'The lamp costs 12 euros.';
  await using site = await startPages({
    '/': (_request, response) =>
      void response.writeHead(200, { 'Content-Type': 'text/html' }).end(page(text)),
    '/one': page('This page stays as it is.'),
  });
  const urls = [`${site.url}/`, `${site.url}/one`];
  const created = await client.createMonitor({
    name: 'Lamps',
    schedule: { text: 'every 30 minutes', timezone: 'UTC' },
    targets: [{ type: 'scrape', urls, scrapeOptions: { formats: ['markdown'] } }],
  });
  expect(created).toMatchObject({ name: 'Lamps', status: 'active', schedule: { cron: '*/30 * * * *' } });
  const { id } = created;
  expect((await client.getMonitor(id)).targets).toMatchObject([{ type: 'scrape', urls }]);
  expect((await client.listMonitors({ limit: 100 })).map((each) => each.id)).toContain(id);
  expect((await client.updateMonitor(id, { name: 'Lights', status: 'paused' })).status).toBe('paused');

  const runToEnd = async () => {
    const { id: checkId } = await client.runMonitor(id);
    return pollUntil(async () => {
      // One page at a time, so that the SDK follows `next`.
      const check = await client.getMonitorCheck(id, checkId, { limit: 1 });
      return check.status !== 'running' && check;
    });
  };
  await runToEnd();
  text = 'The lamp costs 9 euros.';
  const second = await runToEnd();
  expect(second.summary).toMatchObject({ totalPages: 2, changed: 1, same: 1 });
  expect(second.pages.map(({ url, status }) => [url, status]).toSorted()).toEqual([
    [urls[0], 'changed'],
    [urls[1], 'same'],
  ]);
  expect(second.pages.find(({ status }) => status === 'changed')?.diff?.text).toContain(
    '+The lamp costs 9 euros.',
  );
  expect((await client.listMonitorChecks(id)).map((each) => each.status)).toEqual(['completed', 'completed']);
  expect(await client.deleteMonitor(id)).toBe(true);
  await expect(client.getMonitor(id)).rejects.toThrow(/There is no monitor/);
});
