import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { FILES_PATH } from '../blobs/file-urls.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { errorAnswer } from '../schemas/error.ts';
import type { AnyRoute } from './route.ts';
import { errorsOf } from './route-errors.ts';

const STATUSES: Record<(typeof ERRORS)[ErrorCode]['status'], string> = {
  200: 'OK',
  400: 'The request does not fit its schema, or asks for what this version does not offer',
  401: 'The key is missing, unknown or revoked',
  402: 'The team has too few credits left',
  403: 'Another team’s resource, or a URL that may not be fetched',
  404: 'There is no such thing (any more)',
  405: 'The path has no such method',
  408: 'The work took longer than its timeout',
  409: 'In conflict with what was done before, or is being done',
  413: 'The body is too large',
  416: 'The file has no such part',
  429: 'Too many requests; Retry-After says when to come back',
  500: 'The page could not be obtained, or something unexpected went wrong',
  503: 'The service takes no work on, or a part of it does not answer',
};

/** Generates the API reference (OpenAPI 3.1) from the route definitions. */
export function describeApi(routes: AnyRoute[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  paths[`${FILES_PATH}/{token}`] = { get: describeFiles() };
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
    components: {
      schemas: { Error: errorAnswer },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  });
}

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

function describeRoute(route: AnyRoute): ZodOpenApiOperationObject {
  const { 200: unsuccessful, ...failures } = byStatus(errorsOf(route));
  const answer = unsuccessful
    ? z.union([route.answer, errorAnswer.extend({ code: z.enum(unsuccessful) })])
    : route.answer;
  // All query and path schemas are objects, which their declared type does not say.
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
    responses: { 200: { description: STATUSES[200], content: json(answer) }, ...describeErrors(failures) },
  };
}

/** Describes the download of files, which is not among the routes because it needs no API key. */
function describeFiles(): ZodOpenApiOperationObject {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } as const } };
  const codes: ErrorCode[] = ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'UNKNOWN_ERROR', 'SERVICE_UNAVAILABLE'];
  return {
    tags: ['Files'],
    summary: 'A file of a result, by the URL in the result',
    security: [],
    requestParams: {
      path: z.object({ token: z.string().describe('signed; part of the URL in a result') }),
      header: z.object({
        Range: z.string().optional().describe('the part of the file that is wanted, such as `bytes=0-99`'),
        'If-None-Match': z.string().optional().describe('the ETag of a copy that the client has'),
      }),
    },
    responses: {
      200: { description: 'The file', content },
      206: { description: 'The part that the header Range asks for', content },
      304: { description: 'The client has the file already: If-None-Match names its ETag' },
      ...describeErrors(byStatus(codes)),
    },
  };
}

function byStatus(codes: ErrorCode[]): Partial<Record<number, ErrorCode[]>> {
  return Object.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
}

function describeErrors(codesByStatus: Partial<Record<number, ErrorCode[]>>) {
  const responses = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
    };
    // Every key is the status of a code, so `STATUSES` has it.
    const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code].summary}`).join('\n');
    const description = `${STATUSES[Number(status) as keyof typeof STATUSES]}:\n\n${list}`;
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(responses);
}
