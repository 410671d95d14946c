import { request as httpRequest } from 'node:http';
import { isErrorCode, ServiceError } from '../errors.ts';
import type { Target } from './target.ts';

/** What the API answers when all went well. */
export interface Answer {
  success: true;
  data?: unknown;
}

/**
 * Posts JSON to the instance and waits as long as it takes: the service has its own time limits.
 * @throws ServiceError with the code of the API's answer; `SERVICE_UNAVAILABLE` when it cannot be reached
 */
export async function postJson(
  target: Target,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  const { status, text } = await exchange(target, path, JSON.stringify(body), signal);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `${target.url} answered ${status} and no JSON. Is Winnow behind it?`,
    );
  }
  if (isSuccess(answer)) return answer;
  throw failureOf(answer, status);
}

function exchange(target: Target, path: string, body: string, signal: AbortSignal) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const lost = (cause: Error) => {
      if (signal.aborted) return reject(cause);
      const message = `Winnow at ${target.url} cannot be reached (${cause.message}). Start it with \`npm start\`.`;
      reject(new ServiceError('SERVICE_UNAVAILABLE', message, { cause }));
    };
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${target.apiKey}` };
    const request = httpRequest(
      new URL(path, target.url),
      { method: 'POST', headers, signal },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', lost);
      },
    );
    request.on('error', lost);
    request.end(body);
  });
}

function isSuccess(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === true;
}

function failureOf(answer: unknown, status: number): ServiceError {
  const { code, error, details }: { code?: unknown; error?: unknown; details?: unknown } =
    typeof answer === 'object' && answer !== null ? answer : {};
  const known = isErrorCode(code)
    ? code
    : status === 401
      ? 'UNAUTHORIZED'
      : status === 400
        ? 'BAD_REQUEST'
        : 'UNKNOWN_ERROR';
  const text = typeof error === 'string' ? error : `the API answered ${status}`;
  return new ServiceError(
    known,
    details === undefined ? text : `${text}\n${JSON.stringify(details, null, 2)}`,
    { details },
  );
}
