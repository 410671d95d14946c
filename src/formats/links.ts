import { z } from 'zod';
import { defineFormat } from './format.ts';

/** URLs of the content's links. */
export const links = defineFormat({
  field: 'links',
  request: z.strictObject({ type: z.literal('links') }),
  value: z.array(z.string()).describe('absolute addresses of the content’s links, unique, in order'),
  run: (content) => content.links,
});
