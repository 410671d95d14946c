import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { parseJson } from '../../json/json-object.ts';
import type { Reading } from './route-call.ts';

const record = z.record(z.string(), z.unknown());

/** What a cursor says: how the result is read again, and where the next part begins. */
const reading = z.strictObject({
  path: z.string(),
  params: z.record(z.string(), z.string()).optional(),
  query: record.optional(),
  member: z.string().optional(),
  extra: record.optional(),
  from: z.int().min(0),
});

/** Writes where a result goes on as a text, which clients send back as it is. */
export const encodeCursor = (next: Reading & { from: number }): string =>
  Buffer.from(JSON.stringify(next)).toString('base64url');

/**
 * Reads a cursor. It grants nothing: the route that it names has the key of the request.
 * @throws ServiceError `BAD_REQUEST` for a text that is none
 */
export function decodeCursor(cursor: string): Reading {
  const parsed = reading.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success)
    throw new ServiceError(
      'BAD_REQUEST',
      'The cursor is none that a result has. Send it as it was returned.',
    );
  // Members that are absent are not there after JSON was parsed.
  return parsed.data as Reading;
}
