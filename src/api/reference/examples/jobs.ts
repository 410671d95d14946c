import { DOCUMENT, type Examples, JOB_ID, LATER, PAGE_ID, SCHEMA, SERVICE, SITE, TIME } from './example.ts';

const stateOf = (change: object) => ({
  success: true,
  status: 'scraping',
  paused: false,
  limit: null,
  maxConcurrency: null,
  delay: null,
  ...change,
});

/** Examples of the routes that batches and crawls share. */
const pageJob = (path: string, tuning: object): Examples => ({
  [`get ${path}/:id`]: {
    response: {
      success: true,
      status: 'completed',
      total: 1,
      completed: 1,
      failed: 0,
      creditsUsed: 1,
      createdAt: TIME,
      completedAt: TIME,
      duration: 2.5,
      expiresAt: LATER,
      data: [DOCUMENT],
    },
  },
  [`get ${path}/:id/hosts`]: {
    response: {
      success: true,
      limit: null,
      maxConcurrency: 10,
      delay: null,
      progress: [
        { documents: 1, at: TIME },
        { documents: 352, at: LATER },
      ],
      hosts: [
        { host: 'shop.example.com', requests: 40, averageMs: 2140, pausedUntil: TIME, robotsUntil: null },
        { host: 'example.com', requests: 312, averageMs: 180, pausedUntil: null, robotsUntil: null },
      ],
    },
  },
  [`delete ${path}/:id`]: { response: { status: 'cancelled' } },
  [`get ${path}/:id/errors`]: {
    response: {
      success: true,
      errors: [
        {
          id: PAGE_ID,
          timestamp: TIME,
          url: `${SITE}/slow`,
          code: 'SCRAPE_TIMEOUT',
          error: 'https://example.com/slow did not respond within 60000 ms. Set a longer timeout.',
        },
      ],
      robotsBlocked: [`${SITE}/private`],
    },
  },
  [`get ${path}/:id/pages`]: {
    response: {
      success: true,
      total: 1,
      errorCodes: [{ code: 'SCRAPE_TIMEOUT', pages: 1 }],
      data: [
        {
          id: PAGE_ID,
          url: `${SITE}/slow`,
          status: 'failed',
          attempts: 2,
          code: 'SCRAPE_TIMEOUT',
          error: 'https://example.com/slow did not respond within 60000 ms. Set a longer timeout.',
          finishedAt: TIME,
        },
      ],
    },
  },
  [`post ${path}/:id/pause`]: {
    requests: [{ summary: 'Pause the job', body: {} }],
    response: stateOf({ paused: true }),
  },
  [`post ${path}/:id/resume`]: {
    requests: [{ summary: 'Resume the job', body: {} }],
    response: stateOf({}),
  },
  [`post ${path}/:id/retune`]: {
    requests: [{ summary: 'Change the limits of the job', body: tuning }],
    response: stateOf(tuning),
  },
  [`post ${path}/:id/retry`]: {
    requests: [{ summary: 'Scrape the failed pages again', body: {} }],
    response: { success: true, retried: 3 },
  },
});

const crawls = {
  response: {
    success: true,
    crawls: [
      {
        id: JOB_ID,
        teamId: PAGE_ID,
        url: SITE,
        created_at: TIME,
        options: { limit: 100, scrapeOptions: { formats: [{ type: 'markdown' }] } },
      },
    ],
  },
};

/** Examples of scrapes, batches and crawls. */
export const JOB_EXAMPLES: Examples = {
  'post /v2/scrape': {
    requests: [
      { summary: 'Get a page as markdown', body: { url: SITE } },
      {
        summary: 'Get several formats of a fresh page',
        body: {
          url: SITE,
          formats: ['markdown', 'links', { type: 'screenshot', fullPage: true }],
          maxAge: 0,
        },
      },
      {
        summary: 'Extract data by a schema',
        body: { url: SITE, formats: [{ type: 'json', schema: SCHEMA }] },
      },
      {
        summary: 'Scroll, wait for an element, and keep a part of the page',
        body: {
          url: SITE,
          includeTags: ['h1', 'p'],
          actions: [
            { type: 'scroll', direction: 'down' },
            { type: 'wait', selector: 'h1' },
          ],
        },
      },
    ],
    response: { success: true, data: DOCUMENT },
  },
  'get /v2/scrape/:id': { response: { success: true, status: 'completed', data: DOCUMENT } },
  'get /v2/scrape/:id/why': {
    response: {
      success: true,
      id: PAGE_ID,
      jobId: PAGE_ID,
      status: 'completed',
      url: SITE,
      summary:
        'A plain fetch got HTTP 403 in 180 ms, so the browser got HTTP 200 in 1.3 s; it took 1.6 s, most of that for fetching the page; it cost 1 credit.',
      error: null,
      totalMs: 1640,
      cache: { verdict: 'miss', because: 'there is no copy of the allowed age' },
      stages: [
        { stage: 'queue', startMs: 0, ms: 1 },
        { stage: 'cache', startMs: 1, ms: 3 },
        { stage: 'fetch', startMs: 4, ms: 1482 },
        { stage: 'render', startMs: 1486, ms: 140 },
        { stage: 'formats', startMs: 1626, ms: 14 },
      ],
      attempts: [
        {
          engine: 'http',
          startMs: 4,
          ms: 180,
          result: 'HTTP 403',
          blockedBy: 'HTTP 403',
          bytes: 512,
        },
        {
          engine: 'browser',
          startMs: 185,
          ms: 1300,
          result: 'HTTP 200',
          because: 'HTTP 403',
          redirects: [{ url: `${SITE}/`, by: 'HTTP 301' }],
          url: `${SITE}/start`,
          bytes: 48210,
        },
      ],
      statusCode: 200,
      documentBytes: 9120,
      credits: [{ rule: 'page', credits: 1 }],
    },
  },
  'post /v2/batch/scrape': {
    requests: [
      {
        summary: 'Scrape two pages as markdown',
        body: { urls: [`${SITE}/one`, `${SITE}/two`], formats: ['markdown'] },
      },
    ],
    response: { success: true, id: JOB_ID, url: `${SERVICE}/v2/batch/scrape/${JOB_ID}`, invalidURLs: [] },
  },
  ...pageJob('/v2/batch/scrape', { maxConcurrency: 5 }),
  'post /v2/crawl': {
    requests: [
      { summary: 'Crawl a site', body: { url: SITE, limit: 5 } },
      {
        summary: 'Crawl a part of a site, and get a webhook for each page',
        body: {
          url: SITE,
          includePaths: ['^/blog/'],
          maxDiscoveryDepth: 2,
          limit: 5,
          scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
          webhook: { url: `${SITE}/hook`, events: ['page', 'completed'] },
        },
      },
    ],
    response: { success: true, id: JOB_ID, url: `${SERVICE}/v2/crawl/${JOB_ID}` },
  },
  ...pageJob('/v2/crawl', { limit: 50, delay: 1 }),
  'get /v2/crawl/active': crawls,
  'get /v2/crawl/ongoing': crawls,
  'post /v2/crawl/params-preview': {
    requests: [
      { summary: 'See the options of a prompt', body: { url: SITE, prompt: 'only the pages below /blog' } },
    ],
    response: { success: true, data: { url: SITE, includePaths: ['^/blog(/|$)'] } },
  },
};
