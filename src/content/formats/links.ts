import { z } from 'zod';
import { defineFormat } from './format.ts';

/** URLs of the content's links. */
export const links = defineFormat({
  field: 'links',
  request: z.strictObject({ type: z.literal('links') }),
  value: z.array(z.string()).describe('absolute URLs of the links in the content, unique, in document order'),
  run: (content) => content.links,
});
