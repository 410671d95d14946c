import { mapBody, mapResponse } from '../../../schemas/map.ts';
import { defineTool } from '../tool.ts';
import { loosely } from './parameters.ts';
import { resultOf } from './responses.ts';

/** Lists the URLs of a site. */
export const map = defineTool({
  name: 'firecrawl_map',
  title: 'Map a site',
  description:
    'Lists the URLs of a site without their content, from its sitemaps and links. Use it to find the page that has something, or to see what a site consists of; search sorts the URLs by relevance. Then firecrawl_scrape reads a page, and firecrawl_crawl many.',
  input: loosely(mapBody, [
    'url',
    'search',
    'sitemap',
    'includeSubdomains',
    'limit',
    'ignoreQueryParameters',
  ]),
  output: mapResponse,
  hints: { openWorld: true },
  readAgain: ({ id }) => resultOf('/v2/map', id),
  run: (body, { call }) => call({ method: 'post', path: '/v2/map', body }),
});
