/** Loads pages by the loader of LangChain for JavaScript, in each of its modes. */

import { FireCrawlLoader } from '@langchain/community/document_loaders/web/firecrawl';
import { announce, given, step } from './steps.mjs';

const load = (mode, url, params) =>
  new FireCrawlLoader({ url, mode, apiKey: given.key, apiUrl: given.url, params }).load();

announce(['scrape', 'crawl', 'map']);
await step('scrape', () => load('scrape', given.page, {}), 'noon');
await step('crawl', () => load('crawl', given.site, { limit: 3 }), 'noon');
await step('map', () => load('map', given.site, {}), '/lamp');
