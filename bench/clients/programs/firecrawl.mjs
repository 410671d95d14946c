/** Calls every method of the SDK for JavaScript. */

import { Firecrawl } from 'firecrawl';
import { announce, given, methodsOf, refused, step, until } from './steps.mjs';

const client = new Firecrawl({ apiKey: given.key, apiUrl: given.url });
const { page, site, pages, schema } = given;
const markdown = { formats: ['markdown'] };
announce([...methodsOf(client).filter((name) => name !== 'isCloudService'), 'v1', 'research']);

const scraped = await step('scrape', () => client.scrape(page, { formats: ['markdown', 'links'] }), 'noon');
await step(
  'scrape',
  () => client.scrape(page, { formats: [{ type: 'json', schema }, 'summary', 'html', 'images'] }),
  '"departure":"noon"',
);
await step('scrapeUrl', () => client.scrapeUrl(page, markdown), 'noon');
await step('v1', () => client.v1.scrapeUrl(page, markdown), 'noon');
await step('map', () => client.map(site, { limit: 5 }), '/lamp');
await step('mapUrl', () => client.mapUrl(site), '/lamp');
await step('search', () => client.search(given.query, { limit: 2 }), page);
await step(
  'searchFeedback',
  async () => client.searchFeedback(await idOfSearch(), { rating: 'bad', querySuggestions: 'pier' }),
  '"success":true',
);
await step(
  'feedback',
  () =>
    client.feedback({ endpoint: 'scrape', jobId: scraped.metadata.scrapeId, rating: 'bad', note: 'short' }),
  '"success":true',
);
await step(
  'parse',
  () => client.parse({ data: given.fileText, filename: 'ferries.html', contentType: 'text/html' }, markdown),
  'noon',
);

const crawl = { limit: 3, pollInterval: 1, scrapeOptions: markdown };
const crawled = await step('crawl', () => client.crawl(site, crawl), '"completed":3', 'noon');
await step('crawlUrl', () => client.crawlUrl(site, crawl), '"completed":3');
await step('startCrawl', () => client.startCrawl(site, { limit: 2 }), '"id"');
await step('asyncCrawlUrl', () => client.asyncCrawlUrl(site, { limit: 2 }), '"id"');
await step('getCrawlStatus', () => client.getCrawlStatus(crawled.id), '"completed"', 'noon');
await step('checkCrawlStatus', () => client.checkCrawlStatus(crawled.id), 'noon');
await step('getCrawlErrors', () => client.getCrawlErrors(crawled.id), '"errors":[]');
await step('checkCrawlErrors', () => client.checkCrawlErrors(crawled.id), '"errors":[]');
await step('crawlParamsPreview', () => client.crawlParamsPreview(site, 'only pages below /lamp'), '"url"');
const slow = await client.startCrawl(site, { limit: 50, delay: 5 });
await step('getActiveCrawls', () => client.getActiveCrawls(), slow.id);
await step('cancelCrawl', () => client.cancelCrawl(slow.id), 'true');

const batch = { options: markdown, pollInterval: 1 };
const read = await step('batchScrape', () => client.batchScrape(pages, batch), '"completed":2', 'noon');
await step('batchScrapeUrls', () => client.batchScrapeUrls(pages, batch), '"completed":2');
const started = await step('startBatchScrape', () => client.startBatchScrape(pages, batch), '"id"');
await step('asyncBatchScrapeUrls', () => client.asyncBatchScrapeUrls(pages, batch), '"id"');
await step('getBatchScrapeStatus', () => client.getBatchScrapeStatus(read.id), 'noon');
await step('checkBatchScrapeStatus', () => client.checkBatchScrapeStatus(read.id), 'noon');
await step('getBatchScrapeErrors', () => client.getBatchScrapeErrors(read.id), '"errors":[]');
await step('checkBatchScrapeErrors', () => client.checkBatchScrapeErrors(read.id), '"errors":[]');
const waiting = await client.startBatchScrape(Array(20).fill(given.slowPage), batch);
await step('cancelBatchScrape', () => client.cancelBatchScrape(waiting.id), 'true');
await step('watcher', () => watch(client.watcher(started.id, { kind: 'batch', pollInterval: 1 })), 'noon');

await step('startExtract', () => client.startExtract({ urls: [page], schema }), '"id"');
const extracted = await step('extract', () => client.extract({ urls: [page], schema }), '"departure":"noon"');
await step('getExtractStatus', () => client.getExtractStatus(extracted.id), '"departure":"noon"');

const question = { urls: [page], prompt: 'When does it depart?', schema };
const agent = await step('agent', () => client.agent(question), '"departure":"noon"');
const running = await step('startAgent', () => client.startAgent(question), '"id"');
await step('getAgentStatus', () => client.getAgentStatus(agent.id), 'noon');
await step('listAgents', () => client.listAgents(), agent.id);
const trace = await step('getAgentTrace', () => client.getAgentTrace(agent.id), 'artifact.updated');
const { artifact } = trace.events.find(({ type }) => type === 'artifact.updated');
await step('getAgentSnapshot', () => client.getAgentSnapshot(agent.id, artifact.snapshotId), 'noon');
await refused('getAgentThread', () => client.getAgentThread(agent.id), 'Threads are disabled');
await step('cancelAgent', () => client.cancelAgent(running.id));

const monitor = await step(
  'createMonitor',
  () =>
    client.createMonitor({
      name: 'Ferries',
      schedule: { text: 'hourly' },
      targets: [{ type: 'scrape', urls: [page] }],
    }),
  '"id"',
);
await step('listMonitors', () => client.listMonitors(), monitor.id);
await step('getMonitor', () => client.getMonitor(monitor.id), 'Ferries');
await step('updateMonitor', () => client.updateMonitor(monitor.id, { status: 'paused' }), 'paused');
const check = await step('runMonitor', () => client.runMonitor(monitor.id), '"id"');
await step(
  'getMonitorCheck',
  () =>
    until(
      ({ status }) => status !== 'queued' && status !== 'running',
      () => client.getMonitorCheck(monitor.id, check.id),
    ),
  'completed',
);
await step('listMonitorChecks', () => client.listMonitorChecks(monitor.id), check.id);
await step('deleteMonitor', () => client.deleteMonitor(monitor.id), 'true');

const session = await step('browser', () => client.browser({ ttl: 120 }), 'cdpUrl');
await step('listBrowsers', () => client.listBrowsers({ status: 'active' }), session.id);
const program = { code: 'console.log(6 * 7)', language: 'node' };
await step('browserExecute', () => client.browserExecute(session.id, program), '42');
await step('deleteBrowser', () => client.deleteBrowser(session.id), '"success":true');
const job = scraped.metadata.scrapeId;
await step('interact', () => client.interact(job, { code: 'await page.title()' }), 'Ferries');
await step('scrapeExecute', () => client.scrapeExecute(job, program), '42');
for (const name of ['stopInteraction', 'stopInteractiveBrowser', 'deleteScrapeBrowser']) {
  const { metadata } = await client.scrape(page, { maxAge: 0 });
  await client.interact(metadata.scrapeId, program);
  await step(name, () => client[name](metadata.scrapeId), '"success":true');
}

for (const name of ['getConcurrency', 'getCreditUsage', 'getTokenUsage', 'getQueueStatus'])
  await step(name, () => client[name]());
await step('getCreditUsageHistorical', () => client.getCreditUsageHistorical(), '"periods"');
await step('getTokenUsageHistorical', () => client.getTokenUsageHistorical(), '"periods"');
await refused('developerSearch', () => client.developerSearch('node'), 'not available');
await refused('findTools', () => client.findTools({ query: 'weather' }), 'not enabled');
await refused('research', () => client.research.searchPapers('ferries'), 'not available');

/** Resolves when a watcher says that its job is done, with the documents that it has sent. */
async function watch(watcher) {
  const documents = [];
  watcher.on('document', (document) => documents.push(document));
  const ended = new Promise((resolve, reject) => {
    watcher.on('done', resolve);
    watcher.on('error', reject);
  });
  await watcher.start();
  const { status, data } = await ended;
  return { status, documents, data };
}

/** The id of a search, which the SDK does not return. */
async function idOfSearch() {
  const response = await fetch(`${given.url}/v2/search`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${given.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: given.query }),
  });
  return (await response.json()).id;
}
