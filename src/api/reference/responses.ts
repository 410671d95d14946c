import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { ERRORS, type ErrorCode, policyOf } from '../../errors.ts';
import { errorResponse } from '../../schemas/error.ts';
import { HEADERS } from './headers.ts';

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
  431: 'The URL and the headers are too long',
  500: 'The page could not be fetched, or an unexpected error occurred',
  502: 'The browser session or the response of the language model could not be used',
  503: 'The service accepts no new work, or a part of it does not respond',
  504: 'The answer took too long; the response has a part of it',
};

/** Responses by their status. */
export type Responses = Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject>;

/** The content of a JSON body, with its examples. */
export const json = (schema: z.ZodType, examples: object = {}) => ({
  'application/json': { schema, ...examples },
});
/** The content of a body of bytes of any media type. */
export const bytes = (mediaType = '*/*') => ({
  [mediaType]: { schema: { type: 'string', format: 'binary' } as const },
});

/** Groups error codes by their HTTP status. */
export function byStatus(codes: readonly ErrorCode[]): Partial<Record<number, ErrorCode[]>> {
  return Object.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
}

/** What the errors of an operation have besides their own members and headers. */
interface ErrorContext {
  /** The result, which some errors have a part of. */
  result?: z.ZodType | undefined;
  /** The headers of every response. */
  always?: z.ZodRawShape | undefined;
}

/** Describes the error responses of an operation, by its error codes. */
export function describeErrors(codes: readonly ErrorCode[], context: ErrorContext = {}): Responses {
  const responses = Object.entries(byStatus(codes)).map(([status, ofStatus = []]) => [
    status,
    describeError(Number(status), ofStatus, context),
  ]);
  return Object.fromEntries(responses);
}

function describeError(
  status: number,
  codes: ErrorCode[],
  { result, always }: ErrorContext,
): ZodOpenApiResponseObject {
  const isPartial = codes.some((code) => policyOf(code).hasPartialResult);
  const schema =
    isPartial && result instanceof z.ZodObject
      ? errorResponse.extend({ ...result.shape, code: z.enum(codes) })
      : { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
  const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code].summary}`).join('\n');
  const headers = { ...HEADERS_OF_STATUS[status], ...always };
  return {
    // Every status here is that of an error code, and `STATUSES` describes all of them.
    description: `${STATUSES[status as keyof typeof STATUSES]}:\n\n${list}`,
    ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
    content: { 'application/json': { schema } },
  };
}

/** The headers of errors, which tell a client what to do next. */
const HEADERS_OF_STATUS: Partial<Record<number, z.ZodRawShape>> = {
  405: { Allow: HEADERS.Allow },
  408: { 'Retry-After': HEADERS['Retry-After'] },
  416: { 'Content-Range': HEADERS['Content-Range'] },
  429: { 'Retry-After': HEADERS['Retry-After'] },
  503: { 'Retry-After': HEADERS['Retry-After'] },
};
