import { z } from 'zod';

/** The headers of responses, by their names. */
export const HEADERS = {
  Allow: z.string().describe('the methods that the path supports (RFC 9110, 10.2.1)'),
  'Retry-After': z
    .int()
    .optional()
    .describe('seconds after which the request may succeed (RFC 9110, 10.2.3)'),
  Deprecation: z.string().optional().describe('since when the path is deprecated (RFC 9745)'),
  Sunset: z.string().optional().describe('from when on the path may be gone (RFC 8594)'),
  Link: z
    .string()
    .optional()
    .describe('the path that takes the place of this one, as its `successor-version`'),
  ETag: z.string().describe('the tag of the file, for `If-None-Match`'),
  'Accept-Ranges': z.literal('bytes'),
  'Content-Length': z.int().describe('the number of bytes of the body'),
  'Content-Range': z.string().describe('the bytes that the body has, and the size of the file'),
  'Content-Disposition': z.string().describe('the name of the file'),
};

/** The header of requests that start something, which makes their repetition safe. */
export const idempotencyHeader = z
  .string()
  .optional()
  .describe(
    'any text that is new for each job, such as a UUID. A repetition of the request with it within 24 hours returns the first job and starts no other one; another request with it is refused',
  );
