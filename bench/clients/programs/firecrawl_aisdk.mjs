/** Executes every tool of the AI SDK, as a language model that calls it would. */

import {
  agent,
  batchScrape,
  cancel,
  crawl,
  interact,
  map,
  poll,
  scrape,
  search,
  status,
} from 'firecrawl-aisdk';
import { announce, given, step } from './steps.mjs';

const kit = { agent, batchScrape, cancel, crawl, interact, map, poll, scrape, search, status };
const access = { apiKey: given.key, apiUrl: given.url };
// The tools that are not made by a call read these.
process.env.FIRECRAWL_API_KEY = given.key;
process.env.FIRECRAWL_API_URL = given.url;
const context = { toolCallId: '1', messages: [] };
const { page, site, pages, schema } = given;

/** Executes a tool, which is a tool or makes one. Returns its last result. */
async function execute(name, input) {
  const made = typeof kit[name] === 'function' ? kit[name](access) : kit[name];
  const result = await made.execute(input, context);
  if (!result?.[Symbol.asyncIterator]) return result;
  let last;
  for await (const part of result) last = part;
  return last;
}
const use = (name, input, ...texts) => step(name, () => execute(name, input), ...texts);

announce([
  'scrape',
  'search',
  'map',
  'crawl',
  'batchScrape',
  'agent',
  'interact',
  'poll',
  'status',
  'cancel',
]);
const scraped = await use('scrape', { url: page, formats: ['markdown'] }, 'noon');
await use('search', { query: given.query, limit: 2 }, page);
await use('map', { url: site }, '/lamp');
await use('crawl', { url: site, limit: 3, scrapeOptions: { formats: ['markdown'] } });
await use('batchScrape', { urls: pages, formats: ['markdown'] });
await use('agent', { prompt: 'When does it depart?', urls: [page], schema });
await use('interact', { url: page, scrapeId: scraped?.metadata?.scrapeId, code: 'await page.title()' });
for (const name of ['poll', 'status', 'cancel']) {
  const { id } = await start();
  await use(name, { jobId: id, id, type: 'crawl', jobType: 'crawl' });
}

/** Starts a crawl of three pages. */
async function start() {
  const headers = { Authorization: `Bearer ${given.key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: site, limit: 3 });
  return (await fetch(`${given.url}/v2/crawl`, { method: 'POST', headers, body })).json();
}
