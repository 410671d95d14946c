import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { ERRORS, type ErrorCode, policyOf } from '../../errors.ts';
import { errorResponse } from '../../schemas/error.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { FILES_PATH } from '../../storage/blobs/file-urls.ts';
import { UPLOAD_PATH } from '../parse/uploads.ts';
import type { AnyRoute } from './route.ts';
import { errorCodesOf } from './route-error-codes.ts';

const STATUSES: Record<(typeof ERRORS)[ErrorCode]['status'], string> = {
  200: 'OK',
  400: 'The request does not match its schema, or requires a feature that this version does not have',
  401: 'The key is missing, unknown or revoked',
  402: 'The team has too few credits left',
  403: 'The resource belongs to another team, the URL may not be fetched, or the request may come from another site',
  404: 'The resource does not exist or has expired',
  405: 'The path does not support the method',
  408: 'The request took longer than its timeout',
  409: 'The request conflicts with an earlier or a running one',
  410: 'The browser session has ended',
  413: 'The body is too large',
  416: 'The file does not have the requested range',
  429: 'Too many requests; Retry-After says when to continue',
  500: 'The page could not be fetched, or an unexpected error occurred',
  502: 'The browser session or the response of the language model could not be used',
  503: 'The service accepts no new work, or a part of it does not respond',
  504: 'The answer took too long; the response has a part of it',
};

/** Generates the API reference (OpenAPI 3.1) from the route definitions. */
export function describeApi(routes: AnyRoute[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: describeRoute(route) };
  }
  paths[`${FILES_PATH}/{token}`] = { get: describeFiles() };
  paths[`${UPLOAD_PATH}/{token}`] = { put: describeUploads() };
  for (const base of ['/v2/browser', '/v2/interact'])
    paths[`${base}/{id}/downloads/{name}`] = { get: describeSessionFiles() };
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
      schemas: { Error: errorResponse },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  });
}

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

/** Describes the bodies of a route: JSON, or multipart with a file and options in JSON. */
function describeBody({ body, fileOptions, needsFile }: AnyRoute) {
  return {
    ...(fileOptions && { 'multipart/form-data': { schema: multipartBody(fileOptions) } }),
    ...(body && !needsFile && json(body)),
  };
}

const multipartBody = (options: z.ZodType) =>
  z.object({
    file: z.file().describe('the file, with its name in the parameter `filename`'),
    options: options.optional().describe('JSON'),
  });

function describeRoute(route: AnyRoute): ZodOpenApiOperationObject {
  const { 200: unsuccessful, ...failures } = byStatus(errorCodesOf(route));
  const success = unsuccessful
    ? z.union([route.response, errorResponse.extend({ code: z.enum(unsuccessful) })])
    : route.response;
  // All query and path schemas are objects, although their declared type does not say so.
  const object = (schema: z.ZodType | undefined) => schema as z.ZodObject | undefined;
  const query = object(route.query);
  const path = object(route.params);
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(route.replacement && { deprecated: true }),
    ...((query || path) && { requestParams: { ...(query && { query }), ...(path && { path }) } }),
    ...(route.body && {
      requestBody: { required: !route.body.safeParse(undefined).success, content: describeBody(route) },
    }),
    responses: {
      200: { description: STATUSES[200], content: json(success) },
      ...describeErrors(failures, route.response.meta()?.id),
    },
  };
}

/** Describes the download of files, which is not among the routes because it needs no API key. */
function describeFiles(): ZodOpenApiOperationObject {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } as const } };
  const codes: ErrorCode[] = ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'UNKNOWN_ERROR', 'SERVICE_UNAVAILABLE'];
  return {
    tags: ['Files'],
    summary: 'Download a file of a result by its URL',
    security: [],
    requestParams: {
      path: z.object({ token: z.string().describe('signed token, the last part of the URL in the result') }),
      header: z.object({
        Range: z.string().optional().describe('requested byte range, such as `bytes=0-99`'),
        'If-None-Match': z.string().optional().describe('ETag of the copy that the client has'),
      }),
    },
    responses: {
      200: { description: 'The file', content },
      206: { description: 'The byte range that the header Range requests', content },
      304: { description: 'The client already has the file: If-None-Match contains its ETag' },
      ...describeErrors(byStatus(codes)),
    },
  };
}

/**
 * Describes the download of the files of sessions, which is not among the routes because its response is no
 * JSON.
 */
function describeSessionFiles(): ZodOpenApiOperationObject {
  const codes: ErrorCode[] = [
    ...(['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'SESSION_DESTROYED'] as const),
    ...(['SESSION_FAILED', 'WORKER_LOST', 'UNKNOWN_ERROR', 'SERVICE_UNAVAILABLE'] as const),
  ];
  return {
    tags: ['Browser'],
    summary: 'Download a file that the browser or the code of a session has stored',
    requestParams: {
      path: jobIdParams.extend({ name: z.string().describe('a name from the list of files') }),
    },
    responses: {
      200: {
        description: 'The file',
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      ...describeErrors(byStatus(codes)),
    },
  };
}

/** Describes the upload of files, which is not among the routes because it needs no API key. */
function describeUploads(): ZodOpenApiOperationObject {
  const codes: ErrorCode[] = [
    'BAD_REQUEST',
    'NOT_FOUND',
    'UPLOAD_IN_USE',
    'REQUEST_TOO_LARGE',
    'UNKNOWN_ERROR',
    'SERVICE_UNAVAILABLE',
    'INSUFFICIENT_STORAGE',
  ];
  return {
    tags: ['Parse'],
    summary: 'Upload a file that is to be parsed',
    security: [],
    requestParams: {
      path: z.object({ token: z.string().describe('signed token, the last part of the upload URL') }),
    },
    requestBody: {
      required: true,
      content: { '*/*': { schema: { type: 'string', format: 'binary' } as const } },
    },
    responses: {
      200: {
        description: 'The file was stored. Until it is parsed, another upload replaces it.',
        content: json(z.object({ success: z.literal(true) })),
      },
      ...describeErrors(byStatus(codes)),
    },
  };
}

function byStatus(codes: ErrorCode[]): Partial<Record<number, ErrorCode[]>> {
  return Object.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
}

/** @param resultId the id of the schema of a result, which some errors have a part of */
function describeErrors(codesByStatus: Partial<Record<number, ErrorCode[]>>, resultId?: string) {
  const responses = Object.entries(codesByStatus).map(([status, codes = []]) => {
    const results = resultId && codes.some((code) => policyOf(code).hasPartialResult) ? [resultId] : [];
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Error' },
        { properties: { code: { enum: codes } } },
        ...results.map((id) => ({ $ref: `#/components/schemas/${id}` })),
      ],
    };
    // Every status here is that of an error code, and `STATUSES` describes all of them.
    const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code].summary}`).join('\n');
    const description = `${STATUSES[Number(status) as keyof typeof STATUSES]}:\n\n${list}`;
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(responses);
}
