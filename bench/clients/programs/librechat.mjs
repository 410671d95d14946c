/** Scrapes by the scraper that LibreChat has for its web search. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { announce, given, step } from './steps.mjs';

const file = 'node_modules/@librechat/agents/dist/esm/tools/search/firecrawl.mjs';
const { createFirecrawlScraper } = await import(pathToFileURL(path.join(import.meta.dirname, file)).href);
const scraper = createFirecrawlScraper({ apiKey: given.key, apiUrl: given.url });
announce(['scrapeUrl', 'extractContent', 'extractMetadata']);
const [, response] = await step('scrapeUrl', () => scraper.scrapeUrl(given.page), '"success":true');
await step('extractContent', () => scraper.extractContent(response), 'noon');
await step('extractMetadata', () => scraper.extractMetadata(response), '"statusCode":200');
