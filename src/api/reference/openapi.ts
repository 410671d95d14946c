import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponse } from '../../schemas/error.ts';
import type { AnyRoute } from '../http/route.ts';
import { describeFileEndpoints } from './file-operations.ts';
import { describeRoute, templateOf } from './operations.ts';
import { describeWebhooks } from './webhooks.ts';

/** The groups of operations, in the order of the reference. */
const TAGS = {
  Scrape: 'Single pages',
  Batch: 'Lists of pages as one job',
  Crawl: 'Sites, page by page',
  Map: 'The URLs of a site',
  Search: 'Results of the web, with their pages',
  Feedback: 'Ratings of results',
  Parse: 'Uploaded files',
  Profiles: 'Cookies and storage that scrapes and sessions share',
  Extract: 'Data of several pages',
  Agent: 'Data that a language model finds',
  Browser: 'Browsers that code, prompts and people drive',
  Support: 'Answers about jobs and the service',
  Team: 'Credits, limits and recent jobs',
  Webhooks: 'Events of jobs, and their deliveries',
  Files: 'Files of results',
};

/** Generates the API reference (OpenAPI 3.1) from the route definitions. */
export function describeApi(routes: AnyRoute[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Winnow',
      version: '2.0.0',
      description:
        'Self-hosted web data extraction. Send `Authorization: Bearer <API key>` with every request.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'The service that has this reference' },
      { url: 'http://localhost:3002', description: 'A service on this machine with the default port' },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: { ...paths, ...describeFileEndpoints() },
    webhooks: describeWebhooks(),
    components: {
      schemas: { Error: errorResponse },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  });
}
