import { signal } from '@preact/signals';

/** Where the key is while the browser runs. It is in no URL, and in no storage that outlives the browser. */
const KEY_ITEM = 'winnow-api-key';

/** The API key; empty if none was given. */
export const apiKey = signal(sessionStorage.getItem(KEY_ITEM) ?? '');

/** Keeps the key until the browser is closed. @param key empty to forget it */
export function setApiKey(key: string): void {
  keep(KEY_ITEM, key);
  apiKey.value = key;
}

/** Where the key of the operator is, who need not have one of a team. */
const ADMIN_KEY_ITEM = 'winnow-admin-key';

/** The key of the operator; empty if none was given. */
export const adminKey = signal(sessionStorage.getItem(ADMIN_KEY_ITEM) ?? '');

/** Keeps the key of the operator until the browser is closed. @param key empty to forget it */
export function setAdminKey(key: string): void {
  keep(ADMIN_KEY_ITEM, key);
  adminKey.value = key;
}

function keep(item: string, key: string): void {
  if (key) sessionStorage.setItem(item, key);
  else sessionStorage.removeItem(item);
}

/** An error of the API, or of the way to it. */
export class ApiError extends Error {
  /** The status of the response; 0 without one. */
  readonly status: number;
  /** The code of the API, such as `BAD_REQUEST`; `UNREACHABLE` without a response. */
  readonly code: string;
  /** What the API said, as it came. */
  readonly body: unknown;

  constructor(message: string, options: { status: number; code: string; body?: unknown; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.body = options.body;
  }
}

/** A response of the API. */
export interface ApiResponse<Body> {
  body: Body;
  /** How long it took, in milliseconds. */
  ms: number;
}

/** A request to the API. */
export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  path: string;
  /** Is sent as JSON, unless it is a form. */
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Sends a request with the key of the user: below `/admin` with that of the operator.
 * @throws ApiError what the API says; `UNREACHABLE` if it does not respond
 * @throws the reason of the signal
 */
export async function send<Body>(request: ApiRequest): Promise<ApiResponse<Body>> {
  const began = performance.now();
  const { response, content: text } = await ask(request, (each) => each.text());
  const parsed = parseJson(text);
  if (!response.ok || parsed?.success === false) throw errorOf(response, text);
  // Recordings are lines of JSON, which are text here.
  return { body: (parsed ?? text) as Body, ms: performance.now() - began };
}

/** Reads a file with the name that the API gives it. @throws ApiError as {@link send} */
export async function readFile(path: string): Promise<{ name: string; content: Blob }> {
  const { response, content } = await ask({ path }, (each) => each.blob());
  if (!response.ok) throw errorOf(response, await content.text());
  const [, name = 'file'] =
    /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { name, content };
}

/** The path of a file of the service, which may know itself under another URL than its users. */
export const ownPath = (url: string): string => URL.parse(url)?.pathname ?? url;

async function ask<Content>(
  { method = 'GET', path, body, signal }: ApiRequest,
  read: (response: Response) => Promise<Content>,
): Promise<{ response: Response; content: Content }> {
  const isForm = body instanceof FormData;
  const key = path.startsWith('/admin/') ? adminKey.value : apiKey.value;
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return { response, content: await read(response) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ApiError('The service does not respond. This page tries again by itself.', {
      status: 0,
      code: 'UNREACHABLE',
      cause,
    });
  }
}

function errorOf({ status }: Response, text: string): ApiError {
  const parsed = parseJson(text);
  return new ApiError(String(parsed?.error ?? `HTTP ${status}`), {
    status,
    code: String(parsed?.code ?? `HTTP ${status}`),
    body: parsed ?? text,
  });
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the service may respond with a page.
    return undefined;
  }
}
