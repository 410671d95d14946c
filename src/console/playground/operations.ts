/** What can be tried in the playground. */
export interface Operation {
  /** Its name in the path of the view. */
  id: string;
  title: string;
  path: string;
  /** One sentence for people who do not know it yet. */
  about: string;
  /** The members of the body that are always shown. */
  main: string[];
  /** What the fields have when they were never filled in. */
  example: Record<string, unknown>;
}

/** All operations, in the order of their tabs. Their fields come from `/openapi.json`. */
export const OPERATIONS: Operation[] = [
  {
    id: 'scrape',
    title: 'Scrape',
    path: '/v2/scrape',
    about: 'Turns a page or a file on the web into markdown, HTML, links, screenshots or data.',
    main: ['url', 'formats', 'onlyMainContent'],
    example: { formats: ['markdown'] },
  },
  {
    id: 'crawl',
    title: 'Crawl',
    path: '/v2/crawl',
    about: 'Follows the links of a site, and scrapes each page that it finds.',
    main: ['url', 'limit', 'includePaths', 'excludePaths'],
    example: { limit: 20 },
  },
  {
    id: 'map',
    title: 'Map',
    path: '/v2/map',
    about: 'Lists the URLs of a site without scraping its pages.',
    main: ['url', 'search', 'limit'],
    example: {},
  },
  {
    id: 'search',
    title: 'Search',
    path: '/v2/search',
    about: 'Searches pages, and scrapes the results where it is asked to.',
    main: ['query', 'limit', 'sources'],
    example: {},
  },
  {
    id: 'batch',
    title: 'Batch',
    path: '/v2/batch/scrape',
    about: 'Scrapes a list of pages as one job.',
    main: ['urls', 'formats', 'onlyMainContent'],
    example: { formats: ['markdown'] },
  },
  {
    id: 'extract',
    title: 'Extract',
    path: '/v2/extract',
    about: 'Reads data that a schema or a prompt describes from pages.',
    main: ['urls', 'prompt', 'schema'],
    example: {},
  },
  {
    id: 'agent',
    title: 'Agent',
    path: '/v2/agent',
    about: 'Looks for data by itself. It needs a language model.',
    main: ['prompt', 'urls', 'schema', 'maxCredits'],
    example: {},
  },
  {
    id: 'browser',
    title: 'Browser',
    path: '/v2/browser',
    about: 'Starts a browser that can be watched, and driven by the DevTools protocol.',
    main: ['ttl', 'activityTtl', 'profile'],
    example: {},
  },
];
