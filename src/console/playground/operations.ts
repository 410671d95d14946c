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
  /** Whether the request has a file, which is sent with the body as its options. */
  takesFile?: true;
  /** The tool of MCP that does the same. */
  tool?: string;
}

/** All operations, in the order of their tabs. Their fields come from `/openapi.json`. */
export const OPERATIONS: Operation[] = [
  {
    id: 'scrape',
    title: 'Scrape',
    path: '/v2/scrape',
    tool: 'firecrawl_scrape',
    about: 'Turns a page or a file on the web into markdown, HTML, links, screenshots or data.',
    main: ['url', 'formats', 'onlyMainContent'],
    example: { formats: ['markdown'] },
  },
  {
    id: 'crawl',
    title: 'Crawl',
    path: '/v2/crawl',
    tool: 'firecrawl_crawl',
    about: 'Follows the links of a site, and scrapes each page that it finds.',
    main: ['url', 'limit', 'includePaths', 'excludePaths'],
    example: { limit: 20 },
  },
  {
    id: 'map',
    title: 'Map',
    path: '/v2/map',
    tool: 'firecrawl_map',
    about: 'Lists the URLs of a site without scraping its pages.',
    main: ['url', 'search', 'limit'],
    example: {},
  },
  {
    id: 'search',
    title: 'Search',
    path: '/v2/search',
    tool: 'firecrawl_search',
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
    id: 'parse',
    title: 'Parse',
    path: '/v2/parse',
    tool: 'firecrawl_parse',
    about:
      'Turns a file of this machine into markdown, HTML or data: PDF, office files, e-books, mails, pictures.',
    main: ['formats', 'onlyMainContent'],
    example: { formats: ['markdown'] },
    takesFile: true,
  },
  {
    id: 'extract',
    title: 'Extract',
    path: '/v2/extract',
    tool: 'firecrawl_extract',
    about: 'Reads data that a schema or a prompt describes from pages.',
    main: ['urls', 'prompt', 'schema'],
    example: {},
  },
  {
    id: 'agent',
    title: 'Agent',
    path: '/v2/agent',
    tool: 'firecrawl_agent',
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
