import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswer } from '../schemas/error.ts';
import type { AnyRoute } from './route.ts';

const ERROR_STATUSES = {
  400: 'The request does not fit its schema, or asks for what this version does not offer',
  401: 'The key is missing, unknown or revoked',
  402: 'The team has too few credits left',
  403: 'Another team’s resource, or an address that may not be fetched',
  404: 'There is no such thing (any more)',
  408: 'The work took longer than its timeout',
  413: 'The body is too large',
  429: 'Too many requests; Retry-After says when to come back',
  500: 'The page could not be obtained, or something unexpected went wrong',
  503: 'A part of the service does not answer',
};

/** The API reference, OpenAPI 3.1, from the route records. */
export function describeApi(routes: AnyRoute[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
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
    security: [{ apiKey: [] }],
    paths,
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  });
}

function describeRoute(route: AnyRoute): ZodOpenApiOperationObject {
  const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
  const failures = Object.entries(ERROR_STATUSES).map(([status, description]) => [
    status,
    { description, content: json(errorAnswer) },
  ]);
  // Query and path schemas are strict objects by convention; the library wants to be told.
  const object = (schema: z.ZodType | undefined) => schema as z.ZodObject | undefined;
  const query = object(route.query);
  const path = object(route.params);
  return {
    tags: [route.tag],
    summary: route.summary,
    ...((query || path) && { requestParams: { ...(query && { query }), ...(path && { path }) } }),
    ...(route.body && {
      requestBody: { required: !route.body.safeParse(undefined).success, content: json(route.body) },
    }),
    responses: { 200: { description: 'OK', content: json(route.answer) }, ...Object.fromEntries(failures) },
  };
}
