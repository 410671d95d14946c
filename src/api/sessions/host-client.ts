import { request as httpRequest, type IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isErrorCode, ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { findSession, type StoredSession } from '../../storage/db/sessions.ts';
import { DIRECT_AGENT } from '../../system/direct-agent.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../system/encryption/host-request.ts';
import type { ApiDeps } from '../http/route.ts';
import { destroyedError, openedSession } from './session-state.ts';

/** How long the host of a session may take to begin sending files, in milliseconds. */
export const DOWNLOAD_TIMEOUT_MS = 10_000;

/** The error message for a host that does not recognize the signature of the API. */
export const HOST_REFUSAL =
  'The host of the browser session refused the request of the API, and nothing was done. Both need the same WINNOW_SECRET_KEY, and clocks that differ by less than a minute.';

/** A request to the host of a session. */
interface HostRequest {
  method: 'GET' | 'POST';
  /** Path below the URL of the session on its host, such as `execute` or `downloads/report.pdf`. */
  resource: string;
  /** A JSON body. */
  body?: unknown;
  /** A file in place of a body in JSON, and its size in bytes. */
  file?: { content: Readable; size: number };
  /** Milliseconds that the host may take to respond. */
  timeoutMs: number;
  /** Ends the request, and with it what the host does for it. */
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the host of a session, as soon as its browser can be used.
 * @returns the response, whose body the caller reads
 * @throws ServiceError the error of the host; `SESSION_DESTROYED`; `SESSION_FAILED` if the request was not
 * sent, so that
 *   nothing was done; `WORKER_LOST` if the host was lost after that
 * @throws Error if the host failed unexpectedly
 */
export async function callHost(
  session: StoredSession,
  { method, resource, body, file, timeoutMs, signal }: HostRequest,
  deps: Pick<ApiDeps, 'config' | 'db' | 'temporal'>,
): Promise<IncomingMessage> {
  const { host } = await openedSession(session, deps);
  const path = `/sessions/${session.id}/${resource}`;
  const json = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const response = await send(host, {
    method,
    path,
    content: file?.content ?? Readable.from([json]),
    headers: {
      'Content-Type': file ? 'application/octet-stream' : 'application/json',
      'Content-Length': file?.size ?? json.length,
      [HOST_REQUEST_HEADER]: signHostRequest(deps.config.secretKey, { method, path }),
    },
    timeoutMs,
    signal,
  });
  if (response.statusCode === 200) return response;
  if (response.statusCode === 401) {
    response.resume();
    throw new ServiceError('SESSION_FAILED', HOST_REFUSAL);
  }
  const content = await readHostResponse(response);
  // The host does not run the session any more; it responds without a body then.
  if (!content) throw destroyedError((await findSession(deps.db, session.id)) ?? session);
  const { code, message } = fieldsOf(JSON.parse(content));
  if (isErrorCode(code) && code !== 'UNKNOWN_ERROR') throw new ServiceError(code, String(message));
  throw new Error(`The host of the browser session ${session.id} failed. Its log has the reason.`);
}

/** Reads a response of a host. @throws ServiceError `WORKER_LOST` if the host is lost before its end */
export async function readHostResponse(response: IncomingMessage): Promise<string> {
  try {
    return await text(response);
  } catch (cause) {
    throw lostError(cause);
  }
}

const lostError = (cause: unknown) =>
  new ServiceError('WORKER_LOST', 'The host of the browser session was lost during the request.', { cause });

function send(
  host: string,
  options: Pick<HostRequest, 'method' | 'timeoutMs' | 'signal'> & {
    /** Is sent as it was signed: as a part of a URL, `..` would be resolved. */
    path: string;
    content: Readable;
    headers: Record<string, string | number>;
  },
): Promise<IncomingMessage> {
  const { method, path, content, headers, timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    let isSent = false;
    const request = httpRequest(host, {
      method,
      path,
      agent: DIRECT_AGENT,
      headers,
      timeout: timeoutMs,
      ...(signal && { signal }),
    });
    request.once('socket', (socket) => {
      isSent = !socket.connecting;
      socket.once('connect', () => {
        isSent = true;
      });
    });
    request.once('timeout', () => request.destroy(new Error(`no response within ${timeoutMs} ms`)));
    request.once('error', (cause) =>
      reject(
        isSent
          ? lostError(cause)
          : new ServiceError(
              'SESSION_FAILED',
              'Failed to execute code in browser session: its host does not respond, and nothing was done. Try again.',
              { cause },
            ),
      ),
    );
    request.once('response', resolve);
    // Its errors are those of the request, which handles them above.
    pipeline(content, request, () => undefined);
  });
}
