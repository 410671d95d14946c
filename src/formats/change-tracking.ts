import { z } from 'zod';
import { defineFormat } from './format.ts';
import { jsonSchema, promptText } from './json.ts';

const line = { content: z.string().describe('the line behind a blank, - or +') };
const change = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('normal'),
    normal: z.literal(true),
    ln1: z.int(),
    ln2: z.int(),
    ...line,
  }),
  z.object({ type: z.literal('del'), del: z.literal(true), ln: z.int(), ...line }),
  z.object({ type: z.literal('add'), add: z.literal(true), ln: z.int(), ...line }),
]);
const chunk = z.object({ content: z.string().describe('such as @@ -1,3 +1,3 @@'), changes: z.array(change) });
const diff = z.object({
  text: z.string().describe('unified diff of the markdown'),
  json: z
    .object({ files: z.array(z.object({ from: z.null(), to: z.null(), chunks: z.array(chunk) })) })
    .describe('the same as data'),
});

/**
 * The changes of the page since the team's last scrape with this format. Made in `change-history/`.
 */
export const changeTracking = defineFormat({
  field: 'changeTracking',
  request: z.strictObject({
    type: z.literal('changeTracking'),
    modes: z.array(z.enum(['git-diff', 'json'])).default([]),
    schema: jsonSchema.optional().describe('of the data that the mode json compares'),
    prompt: promptText.optional().describe('as that of the format json'),
    tag: z.string().nullable().default(null).describe('scrapes are compared with those of the same tag only'),
  }),
  value: z.object({
    previousScrapeAt: z.iso.datetime().nullable(),
    changeStatus: z
      .enum(['new', 'same', 'changed', 'removed'])
      .describe('removed: the target answered 404 or 410'),
    visibility: z
      .enum(['visible', 'hidden'])
      .describe('hidden: a crawl found it by no link and no sitemap, but knows it from an earlier crawl'),
    diff: diff.optional().describe('in the mode git-diff, of a changed page'),
    json: z
      .record(z.string(), z.object({ previous: z.unknown(), current: z.unknown() }))
      .optional()
      .describe('in the mode json, of a changed page: the fields that differ'),
  }),
});
