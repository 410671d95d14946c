import express, { type RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';
import { findExceededBound, type JsonBounds } from '../../json/json-size.ts';

const MAX_BODY_SIZE = '10mb';

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

/** Parses the JSON body of a request of any content type, once it is known to be within the bounds. */
export const parseJsonBody: RequestHandler = express.json({
  limit: MAX_BODY_SIZE,
  type: () => true,
  strict: false,
  verify: (_request, _response, body, charset) => {
    // JSON has no other one between systems (RFC 8259, 8.1).
    if (charset !== 'utf-8')
      throw new ServiceError('BAD_REQUEST', `The charset of the body is ${charset}. Send JSON in UTF-8.`);
    requireBounds(body);
  },
});

/** @throws ServiceError `BAD_REQUEST` for JSON with too many values, or too deep ones */
export function requireBounds(json: Buffer): void {
  const exceeded = findExceededBound(json, BOUNDS);
  if (exceeded) throw new ServiceError('BAD_REQUEST', EXCESSES[exceeded]);
}
