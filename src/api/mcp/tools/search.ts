import { z } from 'zod';
import { fieldsOf } from '../../../json/json-object.ts';
import { searchBody, searchResponse } from '../../../schemas/search.ts';
import { defineTool } from '../tool.ts';
import { loosely } from './parameters.ts';
import { resultOf } from './responses.ts';
import { nestedScrapeParameters, toScrapeOptions } from './scrape-parameters.ts';

/** Searches the web, and scrapes the results if that is wanted. */
export const search = defineTool({
  name: 'firecrawl_search',
  title: 'Search the web',
  description:
    'Searches the web, news or images, and returns results with title, URL and a passage that fits the query. Operators such as "exact words", -word and site:example.com work. firecrawl_scrape reads a result; scrapeOptions reads all of them at once, which costs as much as scraping each.',
  input: loosely(searchBody, [
    ...(['query', 'limit', 'sources', 'categories', 'includeDomains', 'excludeDomains'] as const),
    ...(['tbs', 'country', 'location', 'highlights', 'timeout', 'enterprise'] as const),
  ]).extend({
    scrapeOptions: z
      .looseObject(nestedScrapeParameters)
      .optional()
      .describe('how results are scraped; needs formats'),
  }),
  output: searchResponse,
  hints: { openWorld: true },
  readAgain: ({ id }) => resultOf('/v2/search', id),
  run({ scrapeOptions, ...args }, { call }) {
    const scraped = scrapeOptions && { scrapeOptions: toScrapeOptions(fieldsOf(scrapeOptions)) };
    return call({ method: 'post', path: '/v2/search', body: { ...args, ...scraped } });
  },
});
