import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request } from 'express';
import { ERRORS, type ErrorCode, excerpt, ServiceError, toServiceError } from '../../errors.ts';
import type { Logger } from '../../system/logger.ts';
import { PROTECTION } from './browser-protection.ts';
import { describeMalformedJson, describeOtherType } from './malformed-json.ts';

/** The most characters of a message, our own text and the input that it repeats together. */
const MAX_MESSAGE_CHARACTERS = 2_000;

/** Whether an error was thrown by the body parser of Express. */
function isBodyError(error: unknown): error is Error & { type: string; body?: unknown } {
  return error instanceof Error && 'type' in error && typeof error.type === 'string';
}

/**
 * Whether the body parser of Express could not decompress a body. It passes on the error of zlib, which has
 * an `errno` and no `type`, and marks it as one that the client may see.
 */
const isDecompressionError = (error: unknown): error is Error =>
  error instanceof Error && 'errno' in error && 'expose' in error && error.expose === true;

/** Whether a request may have a file as its body. */
const isUpload = ({ path }: Request) => /^\/v2\/parse\/?$/i.test(path);

/** Translates what Express throws for a request that it cannot decode. */
function translateRequestError(error: unknown, request: Request): unknown {
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
        `Bad request, malformed JSON: ${
          describeOtherType(request.get('content-type'), request.path) ??
          `${describeMalformedJson(String(error.body ?? ''), error)}.${isUpload(request) ? '' : ' Send one JSON object.'}`
        }`,
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

/** The body of an error response. */
export interface ErrorBody extends Record<string, unknown> {
  success: false;
  code: ErrorCode;
  error: string;
}

/**
 * Translates anything that was thrown to the error that the client sees. The log gets the details of one that
 * nobody expected.
 */
export function describeError(
  thrown: unknown,
  logger: Pick<Logger, 'error'>,
): { error: ServiceError; body: ErrorBody } {
  const error = toServiceError(thrown);
  let message = error.message;
  if (error.code === 'UNKNOWN_ERROR') {
    const errorId = randomUUID();
    logger.error({ err: thrown, errorId }, 'request failed unexpectedly');
    message = `${error.message} The log of the service has the details under the id ${errorId}.`;
  }
  const body = {
    ...error.partialResult,
    success: false as const,
    code: error.code,
    error: excerpt(message, MAX_MESSAGE_CHARACTERS),
    ...(error.details !== undefined && { details: error.details }),
  };
  return { error, body };
}

/** Creates the Express error handler, the only place where errors become HTTP responses. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const { error, body } = describeError(translateRequestError(thrown, request), logger);
    if (error.retryAfterSeconds !== undefined) response.set('Retry-After', String(error.retryAfterSeconds));
    // Whatever the route has said of its own response: the message may repeat a part of the request.
    response.set(PROTECTION).type('json');
    response.status(ERRORS[error.code].status).json(body);
  };
}
