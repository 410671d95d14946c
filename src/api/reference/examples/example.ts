/** A request that a person would send, and a response to it. */
export interface Example {
  requests?: { summary: string; body: unknown }[];
  response: unknown;
}

/** Examples by the method and path of their route, such as `post /v2/crawl/:id/pause`. */
export type Examples = Record<string, Example>;

export const JOB_ID = '0190a2b4-7c11-7000-8000-000000000000';
export const PAGE_ID = '0190a2b4-7c12-7000-8000-000000000001';
export const TIME = '2026-05-04T10:20:30.400Z';
export const LATER = '2026-05-05T10:20:30.400Z';
export const SITE = 'https://example.com';
/** The service in URLs of responses. */
export const SERVICE = 'http://localhost:3002';

/** The document of a page. */
export const DOCUMENT = {
  markdown: '# Example Domain\n\nThis domain is for use in documents.',
  metadata: {
    title: 'Example Domain',
    scrapeId: PAGE_ID,
    sourceURL: SITE,
    url: `${SITE}/`,
    statusCode: 200,
    contentType: 'text/html',
    proxyUsed: 'basic',
    cacheState: 'miss',
    creditsUsed: 1,
    concurrencyLimited: false,
  },
};

/** A JSON Schema of data on a page. */
export const SCHEMA = {
  type: 'object',
  properties: { title: { type: 'string' }, price: { type: 'number' } },
};
