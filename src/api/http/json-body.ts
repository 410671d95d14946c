import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';
import { findExceededBound, type JsonBounds } from '../../json/json-size.ts';
import type { ByteBudget } from './byte-budget.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bodies of up to so many bytes are bounded by the number of requests that may be open. */
const SMALL_BYTES = 64 * 1024;

/**
 * What a body may contain: a batch of 200,000 URLs has room. Parsing and validating more takes seconds, in
 * which the API serves nobody else. Converting a deeper body to text for the database would overflow the call
 * stack.
 */
const BOUNDS: JsonBounds = { values: 250_000, members: 50_000, depth: 500 };

const EXCESSES: Record<keyof JsonBounds, string> = {
  values: `The body has more than ${BOUNDS.values} values. Split it into several requests.`,
  members: `The objects in the body have more than ${BOUNDS.members} members together. Send fewer.`,
  depth: `The body nests arrays and objects more than ${BOUNDS.depth} levels deep. Make it flatter.`,
};

/** The size of parsed bodies, in bytes, without compression. */
const sizes = new WeakMap<IncomingMessage, number>();

const parse = express.json({
  limit: MAX_BODY_BYTES,
  type: () => true,
  strict: false,
  verify: (request, _response, body, charset) => {
    // JSON has no other one between systems (RFC 8259, 8.1).
    if (charset !== 'utf-8')
      throw new ServiceError('BAD_REQUEST', `The charset of the body is ${charset}. Send JSON in UTF-8.`);
    requireBounds(body);
    sizes.set(request, body.length);
  },
});

/**
 * Creates the middleware that parses the JSON body of a request of any content type, once it is known to be
 * within the bounds. A large body takes its part of the budget from its arrival until the response.
 */
export function createJsonParser(budget: ByteBudget): RequestHandler {
  return async (request, response, next) => {
    const bytes = mostBytesOf(request);
    if (bytes <= SMALL_BYTES) return parse(request, response, next);
    const release = await budget.take({ teamId: response.locals.caller.teamId, bytes, response });
    parse(request, response, (error) => {
      if ((sizes.get(request) ?? 0) <= SMALL_BYTES) release();
      next(error);
    });
  };
}

/** The most bytes that the body of a request may have; unknown until it was read if it comes in chunks or compressed. */
function mostBytesOf(request: Request): number {
  const length = request.get('content-length') ?? (request.get('transfer-encoding') ? MAX_BODY_BYTES : 0);
  return request.get('content-encoding') ? MAX_BODY_BYTES : Math.min(Number(length), MAX_BODY_BYTES);
}

/** @throws ServiceError `BAD_REQUEST` for JSON with too many values, or too deep ones */
export function requireBounds(json: Buffer): void {
  const exceeded = findExceededBound(json, BOUNDS);
  if (exceeded) throw new ServiceError('BAD_REQUEST', EXCESSES[exceeded]);
}
