import { request as httpRequest } from 'node:http';
import type { StoredSession } from '../../db/sessions.ts';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../encryption/host-request.ts';
import { isErrorCode, ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json-object.ts';
import { type CodeResult, codeResult, type Language } from '../../schemas/session.ts';
import type { ApiDeps } from '../http/route.ts';
import { destroyedError } from './start-session.ts';

/** Code to execute in a session. */
export interface SessionCode {
  code: string;
  language: Language;
  /** Time limit in seconds. */
  timeout: number;
}

/** Milliseconds that the host gets beyond the time limit, to start the language and to return the result. */
const GRACE_MS = 30_000;

/**
 * Executes code in a session, by the host that runs its browser. The code and its result are stored nowhere.
 * @throws ServiceError `SESSION_DESTROYED`; `SESSION_FAILED` if the host could not be reached, so that nothing was executed
 */
export async function executeCode(
  session: StoredSession,
  { code, language, timeout }: SessionCode,
  { config }: Pick<ApiDeps, 'config'>,
): Promise<CodeResult> {
  if (session.state === 'destroyed' || !session.host) throw destroyedError(session);
  const path = `/sessions/${session.id}/execute`;
  const { status, text } = await post(session.host, path, {
    body: JSON.stringify({ code, language, timeoutMs: timeout * 1000 }),
    signature: signHostRequest(config.secretKey, { method: 'POST', path }),
    timeoutMs: timeout * 1000 + GRACE_MS,
  });
  if (status === 410) throw destroyedError(session);
  const body: unknown = JSON.parse(text);
  if (status === 200) return codeResult.parse(body);
  const { code: errorCode, message } = fieldsOf(body);
  throw new ServiceError(isErrorCode(errorCode) ? errorCode : 'UNKNOWN_ERROR', String(message));
}

/** Sends a request to a host. @throws ServiceError `SESSION_FAILED` if it was not sent, `WORKER_LOST` if it was lost */
function post(
  host: string,
  path: string,
  { body, signature, timeoutMs }: { body: string; signature: string; timeoutMs: number },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    const fail = (cause: Error) =>
      reject(
        isSent
          ? new ServiceError('WORKER_LOST', 'The host of the session was lost while the code ran.', { cause })
          : new ServiceError(
              'SESSION_FAILED',
              'Failed to execute code in browser session: its host does not respond. Nothing was executed.',
              { cause },
            ),
      );
    const request = httpRequest(`${host}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        [HOST_REQUEST_HEADER]: signature,
      },
      timeout: timeoutMs,
    });
    request.once('socket', (socket) => {
      if (!socket.connecting) isSent = true;
      socket.once('connect', () => {
        isSent = true;
      });
    });
    request.once('timeout', () => request.destroy(new Error(`no response within ${timeoutMs} ms`)));
    request.once('error', fail);
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', fail);
    });
    request.end(body);
  });
}
