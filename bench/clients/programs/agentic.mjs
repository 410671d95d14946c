/** Calls every method of the client of Agentic, which knows version 1 of the API. */

import { FirecrawlClient } from '@agentic/firecrawl';
import { announce, given, methodsOf, refused, step, until } from './steps.mjs';

const client = new FirecrawlClient({ apiKey: given.key, apiBaseUrl: given.url });
// The others are its transport, and what Agentic gives to every client.
announce(methodsOf(client).filter((name) => !/Request$|^ky$|[Ff]unctions/.test(name)));
const { page, site } = given;
await step('scrapeUrl', () => client.scrapeUrl({ url: page }), 'noon');
await step('search', () => client.search({ query: given.query }), page);
const crawl = await step('crawlUrl', () => client.crawlUrl({ url: site, limit: 3 }), '"id"');
await step(
  'checkCrawlStatus',
  () =>
    until(
      ({ status }) => status !== 'scraping',
      () => client.checkCrawlStatus(crawl.id),
    ),
  'noon',
);
await step('checkCrawlErrors', () => client.checkCrawlErrors(crawl.id), '"errors":[]');
const slow = await client.crawlUrl({ url: site, limit: 50, delay: 5 });
await step('cancelCrawl', () => client.cancelCrawl(slow.id), 'cancelled');
const extract = await step(
  'extract',
  () => client.extract([page], { prompt: 'When does it depart?' }),
  '"id"',
);
await step('checkExtractStatus', () => client.checkExtractStatus(extract.id), '"success":true');
await refused('generateLLMsText', () => client.generateLLMsText(site), 'llms.txt');
