import { z } from 'zod';
import { defineFormat } from './format.ts';

const noBrowser = (option: string) =>
  `rawBase64 returns the bytes that the server sends, without a browser: leave ${option} out`;

/**
 * The body of the response, byte for byte. It may be of any type, so no other format is derived from it.
 */
export const rawBase64 = defineFormat({
  field: 'rawBase64',
  request: z.strictObject({ type: z.literal('rawBase64') }),
  value: z
    .base64()
    .describe('the body of the response, byte for byte, in base64; metadata.contentType is its type'),
  source: 'body',
  isExclusive: true,
  conflicts: {
    actions: noBrowser('actions'),
    mobile: noBrowser('mobile'),
    profile: noBrowser('profile'),
    waitFor: noBrowser('waitFor'),
    redactPII:
      'rawBase64 returns the bytes of the file unchanged, in which redactPII can replace nothing: leave one of them out',
    crawl:
      'rawBase64 is not possible in a crawl, which has to read its pages to find links. Use a batch instead',
  },
  run: ({ snapshot }) => (snapshot.kind === 'base64' ? snapshot.text : undefined),
});
