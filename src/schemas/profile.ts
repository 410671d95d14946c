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

/** Response of `GET /v2/browser/profiles` and `GET /v2/interact/profiles`. */
export const profilesResponse = z.object({
  success: z.literal(true),
  data: z
    .array(
      z.object({
        name: z.string(),
        bytes: z.int().describe('size of its content, compressed and encrypted'),
        createdAt: z.iso.datetime(),
        savedAt: z.iso.datetime().nullable().describe('when its content was saved last; null if it has none'),
        lastUsedAt: z.iso.datetime().describe('to the hour; 90 days without use delete it'),
      }),
    )
    .describe('the profiles of the team by name, without their content'),
});

/** Path parameters of a browser profile. */
export const profileParams = z.strictObject({ name: profileName });

/** Response of `DELETE /v2/browser/profiles/{name}` and `DELETE /v2/interact/profiles/{name}`. */
export const deleteProfileResponse = z.object({ success: z.literal(true) });
