import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isErrorCode, messageOf, ServiceError } from '../errors.ts';
import { fieldsOf } from '../json-object.ts';
import type { ServiceConnection } from './connection.ts';
import { splitList } from './split-list.ts';

/** The fields of a JSON response. */
export type ApiResponse = Readonly<Record<string, unknown>>;

/** A request to the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  /** A request sent twice with the same key is executed once. */
  idempotencyKey?: string;
}

const MAX_DETAILS = 10;

/**
 * Sends a request and waits for the response without a time limit, because the service has its own.
 * @throws ServiceError with the error code of the response; `SERVICE_UNAVAILABLE` when the service cannot be reached
 */
export async function sendRequest(
  target: ServiceConnection,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const response = await send(target, request, signal);
  let text = '';
  for await (const chunk of readChunks(target, response)) text += chunk;
  return parseResponse(target, response, text);
}

/** Posts JSON; see {@link sendRequest}. */
export function postJson(
  target: ServiceConnection,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<ApiResponse> {
  return sendRequest(target, { method: 'POST', path, body }, signal);
}

/**
 * Streams a response with a list that may not fit into memory: yields each member's JSON as soon as it has arrived, with
 * backpressure on the connection.
 * @param field name of the list
 * @returns the response with that list empty
 * @throws ServiceError as {@link sendRequest}, also when the connection is lost in the middle
 */
export async function* streamList(
  target: ServiceConnection,
  { path, field }: { path: string; field: string },
  signal: AbortSignal,
): AsyncGenerator<string, ApiResponse, undefined> {
  const response = await send(target, { method: 'GET', path }, signal);
  const rest = yield* splitList(readChunks(target, response), field);
  return parseResponse(target, response, rest);
}

function send(
  target: ServiceConnection,
  { method, path, body, idempotencyKey }: ApiRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    Authorization: `Bearer ${target.apiKey}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'x-idempotency-key': idempotencyKey }),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, target.url), { method, headers, signal }, resolve);
    request.on('error', (cause) => reject(signal.aborted ? cause : lost(target, cause)));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function* readChunks(
  target: ServiceConnection,
  response: IncomingMessage,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const chunk of response.setEncoding('utf8')) yield String(chunk);
  } catch (error) {
    throw error instanceof Error && error.name === 'AbortError' ? error : lost(target, error);
  }
}

function lost(target: ServiceConnection, cause: unknown): ServiceError {
  const message = `Winnow at ${target.url} cannot be reached (${messageOf(cause)}). Start it with \`npm start\`.`;
  return new ServiceError('SERVICE_UNAVAILABLE', message, { cause });
}

function parseResponse(
  target: ServiceConnection,
  { statusCode = 0 }: IncomingMessage,
  text: string,
): ApiResponse {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `${target.url} responded with status ${statusCode} and no JSON. Is Winnow running there?`,
      { cause },
    );
  }
  const fields = fieldsOf(answer);
  // Some failures of a scrape have status 200.
  if (statusCode === 200 && fields.success !== false) return fields;
  throw errorFromResponse(fields, statusCode);
}

function errorFromResponse({ code, error, details }: ApiResponse, status: number): ServiceError {
  const known = isErrorCode(code)
    ? code
    : status === 401
      ? 'UNAUTHORIZED'
      : status === 400
        ? 'BAD_REQUEST'
        : 'UNKNOWN_ERROR';
  const text = typeof error === 'string' ? error : `the API responded with status ${status}`;
  const told = Array.isArray(details) ? details.slice(0, MAX_DETAILS) : details;
  return new ServiceError(known, told === undefined ? text : `${text}\n${JSON.stringify(told, null, 2)}`, {
    details,
  });
}
