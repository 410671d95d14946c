import { inject } from 'vitest';
import { FILE_ENDPOINTS, type FileEndpoint } from '../../../src/api/http/file-endpoints.ts';
import { errorCodesOf } from '../../../src/api/http/route-error-codes.ts';
import { describeApi } from '../../../src/api/reference/openapi.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { ERRORS, type ErrorCode } from '../../../src/errors.ts';

/** A response of the API: its status, headers and JSON body. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a client without types does
  body: any;
}

const ENDPOINTS = [
  ...ROUTES.map((route) => ({ method: route.method, path: route.path, codes: errorCodesOf(route) })),
  ...Object.values<FileEndpoint>(FILE_ENDPOINTS).flatMap((endpoint) =>
    endpoint.paths.map((path) => ({ method: endpoint.method, path, codes: errorCodesOf(endpoint) })),
  ),
];

/** The headers that tell a client what to do next. */
const ADVICE = ['Retry-After', 'Allow', 'Deprecation', 'Sunset', 'Link'];
let reference: ReturnType<typeof describeApi> | undefined;

/** A response of the reference, also one that several operations share. */
export function describedResponse<Response>(document: object, response: Response): Response {
  const { $ref } = response as { $ref?: string };
  const name = $ref?.replace('#/components/responses/', '');
  // The reference is generated in this shape.
  const { components } = document as { components: { responses: Record<string, Response> } };
  return name ? components.responses[name]! : response;
}

/** The headers that the reference lists for a response. */
function declaredHeaders(method: string, path: string, status: number): string[] {
  reference ??= describeApi(ROUTES);
  // The reference is generated in this shape.
  const paths = reference.paths as Record<
    string,
    Record<string, { responses: Record<string, { headers?: object }> }>
  >;
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method];
  const response = operation?.responses[status];
  return Object.keys((response && describedResponse(reference, response).headers) ?? {});
}

/**
 * @throws Error where the API answered with an error, or with a header, that its reference does not list for
 * the endpoint
 */
function requireDeclared(method: string, path: string, { status, headers, body }: ApiResponse): void {
  const { pathname } = new URL(path, 'http://api');
  // Where another route has a more special path, this method of the path is none of the endpoint's.
  if (body?.code === 'METHOD_NOT_ALLOWED' && status === ERRORS.METHOD_NOT_ALLOWED.status) return;
  const endpoint = ENDPOINTS.find(
    (each) =>
      each.method.toUpperCase() === method &&
      new RegExp(`^${each.path.replace(/:\w+/g, '[^/]+')}/?$`).test(pathname),
  );
  if (!endpoint) return;
  const sent = ADVICE.filter((name) => headers.has(name));
  if (sent.length) {
    const declared = declaredHeaders(endpoint.method, endpoint.path, status);
    const others = sent.filter((name) => !declared.includes(name));
    if (others.length)
      throw new Error(
        `${method} ${endpoint.path} ${status} has the header ${others}, which it does not declare`,
      );
  }
  // The code of a user that fails is no error of the request.
  if (body?.success !== false || (status === 200 && body.code === undefined)) return;
  if (endpoint.codes.includes(body.code) && ERRORS[body.code as ErrorCode].status === status) return;
  throw new Error(`${method} ${endpoint.path} answered ${status} ${body.code}, which it does not declare`);
}

/**
 * Sends a request to the API, by default that of the shared service: a GET, or with a body or form a POST.
 * @param init.key another key than that of the first team; `null` for none
 * @throws Error for an error response or a header that the API reference does not list for the endpoint
 */
export async function call(
  path: string,
  init: {
    method?: string;
    body?: unknown;
    raw?: string | Uint8Array<ArrayBuffer>;
    form?: FormData;
    key?: string | null;
    url?: string;
    headers?: Record<string, string>;
  } = {},
): Promise<ApiResponse> {
  const service = inject('service');
  const key = init.key === undefined ? service.key : init.key;
  const raw = init.raw ?? (init.body === undefined ? undefined : JSON.stringify(init.body));
  const sent = raw ?? init.form;
  const method = init.method ?? (sent === undefined ? 'GET' : 'POST');
  const response = await fetch(`${init.url ?? service.url}${path}`, {
    method,
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(raw !== undefined && { 'Content-Type': 'application/json' }),
      ...init.headers,
    },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const body = text ? JSON.parse(text) : undefined;
  const answer = { status: response.status, headers: response.headers, body };
  requireDeclared(method, path, answer);
  return answer;
}

/** Scrapes through the shared service, by default with a timeout that only a page that hangs reaches. */
export const scrape = (body: Record<string, unknown>) =>
  call('/v2/scrape', { body: { timeout: 150_000, ...body } });
