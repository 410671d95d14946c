import { z } from 'zod';
import { defineFormat } from './format.ts';

/**
 * The body of the response, byte for byte. It may be of any type, so no other format is derived from it.
 */
export const rawBase64 = defineFormat({
  field: 'rawBase64',
  request: z.strictObject({ type: z.literal('rawBase64') }),
  value: z
    .base64()
    .describe('what the target answered, byte for byte, in base64; metadata.contentType says what it is'),
  run: ({ snapshot }) => (snapshot.kind === 'base64' ? snapshot.text : undefined),
});
