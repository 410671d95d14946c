import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler } from 'express';
import type { z } from 'zod';
import { ERRORS, excerpt, isErrorCode, ServiceError, toServiceError } from '../../errors.ts';
import { translateDatabaseError } from '../../storage/db/client.ts';
import type { Logger } from '../../system/logger.ts';
import { PROTECTION } from './browser-protection.ts';
import { findSimilarName } from './similar-name.ts';

type Issue = z.core.$ZodIssue;

/**
 * Zod's own messages about a wrong type or key. They are too general for `error`, but are listed in
 * `details`.
 */
const GENERIC_MESSAGE = /^Invalid (input|key|element)/;

/** The most entries of `details`, and of the keys in one of them. */
const MAX_LISTED = 20;
/** The most characters of a message, our own text and the input that it repeats together. */
const MAX_ISSUE_CHARACTERS = 500;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** A reason why a request was refused, as `details` lists it. */
interface Detail {
  code: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
}

/**
 * Lists the reasons why a request was refused.
 * @returns the first ones; if there are more than {@link MAX_LISTED}, the last entry says how many
 */
export function listDetails<Reason>(reasons: Reason[], describe: (reason: Reason) => Detail): Detail[] {
  if (reasons.length <= MAX_LISTED) return reasons.map(describe);
  const listed = reasons.slice(0, MAX_LISTED - 1).map(describe);
  const message = `${reasons.length - listed.length} more are not listed.`;
  return [...listed, { code: 'custom', path: [], message }];
}

const describeIssue = (issue: Issue): Detail => ({
  code: issue.code,
  path: issue.path.map((part) => (typeof part === 'string' ? excerpt(part) : part)),
  // Zod lists all keys in its message about unknown ones.
  message: excerpt(issue.message, issue.code === 'unrecognized_keys' ? undefined : MAX_ISSUE_CHARACTERS),
  ...(issue.code === 'unrecognized_keys' && {
    keys: issue.keys.slice(0, MAX_LISTED).map((key) => excerpt(key)),
  }),
});

/**
 * Converts a validation failure to an error. Its message is that of the first specific issue.
 * @param place.names those that the part may have, of which the message proposes one for a misspelt name
 * @param place.prefix begins the message
 */
export function createValidationError(
  error: z.ZodError,
  place: { part: 'body' | 'query' | 'path'; names?: readonly string[]; prefix?: string },
): ServiceError {
  const { part, names = [], prefix = '' } = place;
  const { issues } = error;
  // A rule may name its own error code, which is used only if every issue has the same code.
  const codes = new Set(issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : undefined)));
  const [code] = codes.size === 1 ? codes : [];
  return new ServiceError(
    isErrorCode(code) ? code : 'BAD_REQUEST',
    prefix + validationMessage(issues, part, names),
    {
      details: listDetails(issues, describeIssue),
    },
  );
}

function validationMessage(issues: Issue[], part: string, names: readonly string[]): string {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown?.code === 'unrecognized_keys') {
    const keys = excerpt(unknown.keys.slice(0, MAX_LISTED).join(', '));
    const where = unknown.path.length ? ` (in ${unknown.path.join('.')})` : '';
    const similar = unknown.path.length ? undefined : findSimilarName(unknown.keys[0] ?? '', names);
    const remedy = similar ? `Did you mean ${similar}?` : 'Remove it or check its spelling.';
    return `Unrecognized key in ${part} -- ${keys}${where}. ${remedy}`;
  }
  const specific =
    issues.find((issue) => issue.code === 'custom') ??
    issues.find((issue) => !GENERIC_MESSAGE.test(issue.message));
  if (!specific) return 'Bad Request';
  const { path, message } = describeIssue(specific);
  return path.length && !message.includes(String(path.at(-1))) ? `${path.join('.')}: ${message}` : message;
}

/** Whether an error was thrown by the body parser of Express. */
function isBodyError(error: unknown): error is Error & { type: string } {
  return error instanceof Error && 'type' in error && typeof error.type === 'string';
}

/**
 * Whether the body parser of Express could not decompress a body. It passes on the error of zlib, which has
 * an `errno` and no `type`, and marks it as one that the client may see.
 */
const isDecompressionError = (error: unknown): error is Error =>
  error instanceof Error && 'errno' in error && 'expose' in error && error.expose === true;

/** Translates what Express throws for a request that it cannot decode. */
function translateRequestError(error: unknown): unknown {
  if (error instanceof URIError)
    return new ServiceError('BAD_REQUEST', 'The path of the URL has a % that begins no UTF-8 character.');
  if (isDecompressionError(error))
    return new ServiceError(
      'BAD_REQUEST',
      `The body could not be decompressed: ${error.message}. Send all of it, compressed as Content-Encoding says.`,
    );
  if (!isBodyError(error)) return error;
  switch (error.type) {
    case 'entity.parse.failed':
      return new ServiceError(
        'BAD_REQUEST_INVALID_JSON',
        'Bad request, malformed JSON. Check the body of the request.',
      );
    case 'entity.too.large':
      return new ServiceError(
        'REQUEST_TOO_LARGE',
        'The body is larger than 10 MB. Split it into several requests.',
      );
    case 'request.aborted':
    case 'request.size.invalid':
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ServiceError('BAD_REQUEST', `The body could not be read: ${error.message}.`);
    default:
      return error;
  }
}

/** Creates the Express error handler, the only place where errors become HTTP responses. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toServiceError(translateRequestError(translateDatabaseError(thrown)));
    let message = error.message;
    if (error.code === 'UNKNOWN_ERROR') {
      const errorId = randomUUID();
      logger.error({ err: thrown, errorId }, 'request failed unexpectedly');
      message = `${error.message} The log of the service has the details under the id ${errorId}.`;
    }
    if (error.retryAfterSeconds !== undefined) response.set('Retry-After', String(error.retryAfterSeconds));
    // Whatever the route has said of its own response: the message may repeat a part of the request.
    response.set(PROTECTION).type('json');
    response.status(ERRORS[error.code].status).json({
      ...error.partialResult,
      success: false,
      code: error.code,
      error: excerpt(message, MAX_MESSAGE_CHARACTERS),
      ...(error.details !== undefined && { details: error.details }),
    });
  };
}
