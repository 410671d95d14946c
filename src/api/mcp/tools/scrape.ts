import { z } from 'zod';
import { fieldsOf } from '../../../json/json-object.ts';
import { document } from '../../../schemas/document.ts';
import { defineTool } from '../tool.ts';
import { memberOf, resultOf } from './responses.ts';
import { scrapeParameters, toScrapeOptions } from './scrape-parameters.ts';

/** Scrapes one page. */
export const scrape = defineTool({
  name: 'firecrawl_scrape',
  title: 'Scrape a page',
  description:
    'Reads one page whose URL is known, also a PDF or office document, and returns its content: as markdown, or in the given formats, such as links, a screenshot, JSON by a schema (formats ["json"] with jsonOptions) or the answer to a question (formats ["query"] with queryOptions). A copy of up to two days may be returned; maxAge 0 reads the page now. For a page whose URL is unknown use firecrawl_search, for many pages of a site firecrawl_crawl.',
  input: z.looseObject({ url: z.string().describe('URL of the page'), ...scrapeParameters }),
  output: document,
  hints: { openWorld: true },
  readAgain: ({ metadata }, { zeroDataRetention, lockdown }) =>
    // What is deleted after its delivery comes as a whole.
    zeroDataRetention || lockdown
      ? undefined
      : resultOf('/v2/scrape', fieldsOf(metadata).scrapeId, { member: 'data' }),
  async run(args, { call }) {
    const body = toScrapeOptions(args);
    return memberOf(await call({ method: 'post', path: '/v2/scrape', body }), 'data');
  },
});
