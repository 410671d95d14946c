import { z } from 'zod';
import { quote } from '../errors.ts';

/** The message for an id that is no UUID. Clients of this API know its beginning. */
const invalidId = (text: string): string =>
  `Invalid job ID format: ${quote(text)} is not a UUID. Use the id that the start of the job, session or delivery returned.`;

/** Path parameters of a resource that is identified by the id of a job, a page or a webhook delivery. */
export const jobIdParams = z.strictObject({
  id: z.uuid({ error: (issue) => invalidId(String(issue.input)) }),
});
