import { z } from 'zod';
import { defineFormat } from './format.ts';

/** What the target answered, byte for byte; of any type, so nothing else can be made of it. */
export const rawBase64 = defineFormat({
  field: 'rawBase64',
  request: z.strictObject({ type: z.literal('rawBase64') }),
  value: z
    .base64()
    .describe('what the target answered, byte for byte, in base64; metadata.contentType says what it is'),
  run: ({ snapshot }) => (snapshot.kind === 'base64' ? snapshot.text : undefined),
});
