import { z } from 'zod';
import { withKeywords } from '../json/schema-keywords.ts';

/** The name of a browser profile, unique within its team. */
export const profileName = withKeywords(
  z
    .string()
    .min(1)
    .max(128)
    .refine((name) => !name.includes('\0'), 'the NUL character is not allowed in a name'),
  { pattern: '^[^\\u0000]*$', examples: ['shop'] },
);

/** Path parameters of a browser profile. */
export const profileParams = z.strictObject({ name: profileName });

/** Response of `DELETE /v2/browser/profiles/{name}` and `DELETE /v2/interact/profiles/{name}`. */
export const deleteProfileResponse = z.object({ success: z.literal(true) });
