import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponse } from '../../schemas/error.ts';
import type { AnyRoute } from '../http/route.ts';
import { describeFileEndpoints } from './file-operations.ts';
import { describeRoute, templateOf } from './operations.ts';
import { shareErrors } from './shared-errors.ts';
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
  Monitors: 'Pages, sites and searches that are watched on a schedule',
  Support: 'Answers about jobs and the service',
  Team: 'Credits, limits and recent jobs',
  Webhooks: 'Events of jobs, and their deliveries',
  Export: 'The documents of batches and crawls as files',
  Files: 'Files of results',
};

const OPERATOR_TAGS = {
  Health: 'The state of the service',
  Teams: 'Teams and their limits',
  Keys: 'The API keys of teams',
};

const listTags = (tags: Record<string, string>) =>
  Object.entries(tags).map(([name, description]) => ({ name, description }));

function describePaths(routes: AnyRoute[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  return paths;
}

/** Generates the reference of the operator's routes (OpenAPI 3.1), which are not for the keys of teams. */
export const describeOperatorApi = (routes: AnyRoute[]) =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Winnow for operators',
      version: '2.0.0',
      description:
        'Teams, keys and the state of the service. Send `Authorization: Bearer <key of the operator>` with every request: that in the file admin-key of the data directory, or WINNOW_ADMIN_KEY.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that has this reference' }],
    tags: listTags(OPERATOR_TAGS),
    security: [{ operatorKey: [] }],
    paths: describePaths(routes),
    components: {
      schemas: { Error: errorResponse },
      securitySchemes: { operatorKey: { type: 'http', scheme: 'bearer' } },
    },
  });

/** Generates the API reference (OpenAPI 3.1) from the route definitions. */
export function describeApi(routes: AnyRoute[]) {
  return shareErrors(
    createDocument({
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
      tags: listTags(TAGS),
      security: [{ apiKey: [] }],
      paths: { ...describePaths(routes), ...describeFileEndpoints() },
      webhooks: describeWebhooks(),
      components: {
        schemas: { Error: errorResponse },
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      },
    }),
  );
}
