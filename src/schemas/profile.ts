import { z } from 'zod';

/** What a team calls a profile. */
export const profileName = z
  .string()
  .min(1)
  .max(128)
  .refine((name) => !name.includes('\0'), 'the character NUL is not allowed in a name');

/** The path of a profile. */
export const profileParams = z.strictObject({ name: profileName });

/** Answer of `DELETE /v2/browser/profiles/{name}`. */
export const profileDeleted = z.object({ success: z.literal(true) });
