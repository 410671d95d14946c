import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { commandOf } from '../config.ts';
import { type ErrorCode, isErrorCode, messageOf, ServiceError } from '../errors.ts';
import { fieldsOf } from '../json/json-object.ts';
import type { ServiceConnection } from './connection.ts';
import { splitList } from './split-list.ts';

/** The fields of a JSON response. */
export type ApiResponse = Readonly<Record<string, unknown>>;

/** A request to the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** A multipart body, in place of `body`. */
  form?: FormData;
  /** A request sent twice with the same key is executed once. */
  idempotencyKey?: string;
}

/**
 * Sends a request and waits for the response without a time limit, because the service has its own.
 * @throws ServiceError with the error code of the response; `SERVICE_UNAVAILABLE` when the service cannot be
 * reached
 */
export async function sendRequest(
  target: ServiceConnection,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const response = await send(target, request, signal);
  let text = '';
  for await (const chunk of readText(target, response)) text += chunk;
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
 * Streams a response with a list that may not fit into memory: yields each member's JSON as soon as it has
 * arrived, with backpressure on the connection.
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
  const rest = yield* splitList(readText(target, response), field);
  return parseResponse(target, response, rest);
}

/**
 * Reads a file, piece by piece.
 * @throws ServiceError as {@link sendRequest}, also when the connection is lost in the middle
 */
export async function* streamFile(
  target: ServiceConnection,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const response = await send(target, { method: 'GET', path }, signal);
  if (response.statusCode === 200) return yield* readChunks<Buffer>(target, response);
  let text = '';
  for await (const chunk of readText(target, response)) text += chunk;
  parseResponse(target, response, text);
}

async function send(
  target: ServiceConnection,
  { method, path, body, form, idempotencyKey }: ApiRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const content = form ? await encodeForm(form) : body !== undefined && encodeJson(body);
  const headers = {
    Authorization: `Bearer ${target.apiKey}`,
    ...(content && { 'Content-Type': content.type, 'Content-Length': content.bytes.length }),
    ...(idempotencyKey !== undefined && { 'x-idempotency-key': idempotencyKey }),
  };
  return new Promise((resolve, reject) => {
    // The URL of a service may have a path itself.
    const url = new URL(`${target.url}${path}`);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, signal }, resolve);
    request.on('error', (cause) => reject(signal.aborted ? cause : connectionError(target, cause)));
    request.end(content ? content.bytes : undefined);
  });
}

const encodeJson = (body: unknown) => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
});

async function encodeForm(form: FormData) {
  const encoded = new Response(form);
  const bytes = Buffer.from(await encoded.arrayBuffer());
  // A response with a form always has a type, which contains the boundary.
  return { type: encoded.headers.get('content-type') ?? '', bytes };
}

/** The chunks of a response: bytes, or text where the response has an encoding. */
async function* readChunks<Chunk extends Buffer | string>(
  target: ServiceConnection,
  response: IncomingMessage,
): AsyncGenerator<Chunk, void, undefined> {
  try {
    for await (const chunk of response) yield chunk;
  } catch (error) {
    throw error instanceof Error && error.name === 'AbortError' ? error : connectionError(target, error);
  }
}

const readText = (target: ServiceConnection, response: IncomingMessage) =>
  readChunks<string>(target, response.setEncoding('utf8'));

function connectionError(target: ServiceConnection, cause: unknown): ServiceError {
  const message = `Winnow at ${target.url} cannot be reached (${messageOf(cause)}). Start it with \`${commandOf('up')}\`, or check WINNOW_URL.`;
  return new ServiceError('SERVICE_UNAVAILABLE', message, { cause });
}

function parseResponse(
  target: ServiceConnection,
  { statusCode = 0 }: IncomingMessage,
  text: string,
): ApiResponse {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `${target.url} responded with status ${statusCode} and without JSON. Check that Winnow is running there.`,
      { cause },
    );
  }
  const fields = fieldsOf(parsed);
  // Some failures of a scrape have status 200. Code and prompts that failed have a result nonetheless.
  if (statusCode === 200 && (fields.success !== false || 'exitCode' in fields)) return fields;
  throw errorFromResponse(fields, statusCode);
}

function errorFromResponse({ code, error, details }: ApiResponse, status: number): ServiceError {
  const serviceCode = isErrorCode(code) ? code : codeOfStatus(status);
  const text = typeof error === 'string' ? error : `The API responded with status ${status}.`;
  return new ServiceError(serviceCode, text, { details });
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHORIZED';
  return status === 400 ? 'BAD_REQUEST' : 'UNKNOWN_ERROR';
}
