import { z } from 'zod';

/** The path of a resource that is named by its job. */
export const jobIdParams = z.strictObject({
  id: z.uuid({ error: 'Invalid job ID format. Job IDs are UUIDs.' }),
});
