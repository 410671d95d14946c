import { inject } from 'vitest';
import { errorCodesOf } from '../../../src/api/http/route-error-codes.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { ERRORS, type ErrorCode } from '../../../src/errors.ts';

/** A response of the API: its status, headers and JSON body. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a client without types does
  body: any;
}

/** @throws Error where the API answered with an error that its reference does not list for the route */
function requireDeclared(
  method: string,
  path: string,
  { status, body }: Pick<ApiResponse, 'status' | 'body'>,
): void {
  // The code of a user that fails is no error of the request.
  if (body?.success !== false || (status === 200 && body.code === undefined)) return;
  const { pathname } = new URL(path, 'http://api');
  if (body.code === 'METHOD_NOT_ALLOWED' && status === ERRORS.METHOD_NOT_ALLOWED.status) return;
  const route = ROUTES.find(
    (each) =>
      each.method.toUpperCase() === method &&
      new RegExp(`^${each.path.replace(/:\w+/g, '[^/]+')}/?$`).test(pathname),
  );
  if (!route || (errorCodesOf(route).includes(body.code) && ERRORS[body.code as ErrorCode].status === status))
    return;
  throw new Error(`${method} ${route.path} answered ${status} ${body.code}, which it does not declare`);
}

/**
 * Sends a request to the API, by default that of the shared service: a GET, or with a body or form a POST.
 * @param init.key another key than that of the first team; `null` for none
 * @throws Error for an error response that the API reference does not list for the route
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
  requireDeclared(method, path, { status: response.status, body });
  return { status: response.status, headers: response.headers, body };
}

/** Scrapes through the shared service, by default with a timeout that only a page that hangs reaches. */
export const scrape = (body: Record<string, unknown>) =>
  call('/v2/scrape', { body: { timeout: 150_000, ...body } });
