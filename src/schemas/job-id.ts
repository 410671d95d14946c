import { z } from 'zod';

/** Path parameters of a resource that is identified by the id of a job, a page or a webhook delivery. */
export const jobIdParams = z.strictObject({
  id: z.uuid({ error: 'Invalid job ID format. Job IDs are UUIDs.' }),
});
