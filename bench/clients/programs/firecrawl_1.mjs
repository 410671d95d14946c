/** Calls every method of the SDK 1.x for JavaScript. */

import FirecrawlApp, { CrawlWatcher } from 'firecrawl';
import { announce, given, methodsOf, refused, step, until } from './steps.mjs';

/** Methods that others call; the SDK declares them private or as its transport. */
const INTERNAL =
  /^(?:__|(?:post|get|delete)Request$|isCloudService|getVersion|init$|prepareHeaders|monitor|isRetry|handleError)/;
const client = new FirecrawlApp({ apiKey: given.key, apiUrl: given.url });
announce(methodsOf(client).filter((name) => !INTERNAL.test(name)));
const { page, site, pages, schema } = given;
const markdown = { formats: ['markdown'] };
const limited = { limit: 3, scrapeOptions: markdown };

await step('scrapeUrl', () => client.scrapeUrl(page, { formats: ['markdown', 'links'] }), 'noon');
await step(
  'scrapeUrl',
  () => client.scrapeUrl(page, { formats: ['extract'], extract: { schema } }),
  '"departure":"noon"',
);
await step('search', () => client.search(given.query, { limit: 2 }), page);
await step('mapUrl', () => client.mapUrl(site), '/lamp');
await step('crawlUrl', () => client.crawlUrl(site, limited, undefined, 1), '"completed":3', 'noon');
const crawl = await step('asyncCrawlUrl', () => client.asyncCrawlUrl(site, limited), '"id"');
const isOver = ({ status }) => status !== 'scraping';
await step('checkCrawlStatus', () => until(isOver, () => client.checkCrawlStatus(crawl.id, true)), 'noon');
await step('checkCrawlErrors', () => client.checkCrawlErrors(crawl.id), '"errors":[]');
const slow = await client.asyncCrawlUrl(site, { limit: 50, delay: 5 });
await step('cancelCrawl', () => client.cancelCrawl(slow.id), 'cancelled');
await step('batchScrapeUrls', () => client.batchScrapeUrls(pages, markdown, 1), '"completed":2', 'noon');
const batch = await step('asyncBatchScrapeUrls', () => client.asyncBatchScrapeUrls(pages, markdown), '"id"');
await step(
  'checkBatchScrapeStatus',
  () => until(isOver, () => client.checkBatchScrapeStatus(batch.id, true)),
  'noon',
);
await step('checkBatchScrapeErrors', () => client.checkBatchScrapeErrors(batch.id), '"errors":[]');
await step('crawlUrlAndWatch', async () => watch(await client.crawlUrlAndWatch(site, limited)), 'noon');
await step(
  'batchScrapeUrlsAndWatch',
  async () => watch(await client.batchScrapeUrlsAndWatch(pages, markdown)),
  'noon',
);
await step('extract', () => client.extract([page], { schema }), '"departure":"noon"');
const extract = await step('asyncExtract', () => client.asyncExtract([page], { schema }), '"id"');
await step('getExtractStatus', () => client.getExtractStatus(extract.id), '"success":true');
for (const name of ['deepResearch', 'asyncDeepResearch'])
  await refused(name, () => client[name]('ferries', {}), 'POST /v2/agent');
await refused('checkDeepResearchStatus', () => client.checkDeepResearchStatus('1'), 'deep research');
for (const name of ['generateLLMsText', 'asyncGenerateLLMsText'])
  await refused(name, () => client[name](site, {}), 'llms.txt');
await refused('checkGenerateLLMsTextStatus', () => client.checkGenerateLLMsTextStatus('1'), 'llms.txt');

/** Watches a job to its end. Returns its documents. */
async function watch(watcher) {
  if (!(watcher instanceof CrawlWatcher)) throw new Error('this is no watcher');
  const documents = [];
  watcher.addEventListener('document', ({ detail }) => documents.push(detail));
  await new Promise((resolve, reject) => {
    watcher.addEventListener('done', resolve);
    watcher.addEventListener('error', ({ detail }) => reject(new Error(JSON.stringify(detail))));
  });
  return documents;
}
