import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { errorResponse } from '../../schemas/error.ts';
import { DEPRECATIONS, type Deprecated } from '../http/deprecations.ts';
import type { AnyRoute } from '../http/route.ts';
import { errorCodesOf } from '../http/route-error-codes.ts';
import { EXAMPLES, examplesOf } from './examples/index.ts';
import { HEADERS, idempotencyHeader } from './headers.ts';
import { byStatus, describeErrors, json } from './responses.ts';

/** The path of a route in the syntax of OpenAPI, such as `/v2/scrape/{id}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

/**
 * The name of an operation in generated clients: its method and its path, such as `getCrawlByIdErrors`. It is
 * unique, and stays the same as long as both do.
 */
export function operationIdOf(method: string, path: string): string {
  const words = templateOf(path)
    .replace(/^\/v2\//, '')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z\d]+/)
    .filter(Boolean);
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

/** The headers that every response of a deprecated route has. */
const headersOfDeprecated = ({ sunset }: Deprecated) => ({
  Deprecation: HEADERS.Deprecation,
  Link: HEADERS.Link,
  ...(sunset && { Sunset: HEADERS.Sunset }),
});

/** Describes the operation of a route. */
export function describeRoute(route: AnyRoute): ZodOpenApiOperationObject {
  const codes = errorCodesOf(route);
  const { ofRequest, ofResponse } = examplesOf(EXAMPLES[`${route.method} ${route.path}`] ?? {});
  const { 200: unsuccessful } = byStatus(codes);
  const failures = codes.filter((code) => !unsuccessful?.includes(code));
  const success = unsuccessful
    ? z.union([route.response, errorResponse.extend({ code: z.enum(unsuccessful) })])
    : route.response;
  const always = route.deprecation && headersOfDeprecated(DEPRECATIONS[route.deprecation.of]);
  return {
    operationId: operationIdOf(route.method, route.path),
    tags: [route.tag],
    summary: route.summary,
    ...(route.deprecation && { deprecated: true }),
    ...describeParameters(route),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: describeBody(route, ofRequest),
      },
    }),
    responses: {
      200: {
        description: 'OK',
        ...(always && { headers: z.object(always) }),
        content: json(success, ofResponse),
      },
      ...describeErrors(failures, { result: route.response, always }),
    },
  };
}

function describeParameters(route: AnyRoute): Pick<ZodOpenApiOperationObject, 'requestParams'> {
  // All query and path schemas are objects, although their declared type does not say so.
  const object = (schema: z.ZodType | undefined) => schema as z.ZodObject | undefined;
  const query = object(route.query);
  const path = object(route.params);
  const isIdempotent = route.errors.includes('IDEMPOTENCY_KEY_REUSED');
  const header = isIdempotent ? z.object({ 'x-idempotency-key': idempotencyHeader }) : undefined;
  if (!query && !path && !header) return {};
  return { requestParams: { ...(query && { query }), ...(path && { path }), ...(header && { header }) } };
}

/** Describes the bodies of a route: JSON, or multipart with a file and options in JSON. */
function describeBody({ body, fileOptions, needsFile }: AnyRoute, examples: object) {
  return {
    ...(fileOptions && { 'multipart/form-data': { schema: multipartBody(fileOptions) } }),
    ...(body && !needsFile && json(body, examples)),
  };
}

/** The body of a request with a file. */
export const multipartBody = (options: z.ZodType) =>
  z.object({
    file: z.file().describe('the file, with its name in the parameter `filename`'),
    options: options.optional().describe('JSON'),
  });
