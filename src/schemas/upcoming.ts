import { z } from 'zod';

/**
 * Formats whose requests are already checked but which this version does not produce yet. When one is built, its
 * schema moves into a file of `formats/`.
 */
const prompt = z.string().min(1).max(10_000);
const schema = z.record(z.string(), z.unknown());
const simple = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type) });

const json = z
  .strictObject({
    type: z.literal('json'),
    schema: schema.optional(),
    prompt: prompt.optional(),
    checkPromptInjection: z.boolean().optional(),
  })
  .refine((format) => format.schema !== undefined || format.prompt !== undefined, {
    message: 'the json format needs a schema or a prompt',
  });
const deterministicJson = z.strictObject({
  type: z.literal('deterministicJson'),
  schema: schema.optional(),
  prompt: prompt.optional(),
});

/** Request schemas of the formats to come, by their `type`. */
export const UPCOMING_FORMATS = [
  simple('rawBase64'),
  simple('summary'),
  json,
  deterministicJson,
  simple('branding'),
  simple('product'),
  simple('menu'),
  z.strictObject({ type: z.literal('question'), question: prompt }),
  z.strictObject({ type: z.literal('highlights'), query: prompt }),
  z.strictObject({
    type: z.literal('query'),
    prompt,
    mode: z.enum(['freeform', 'directQuote']).default('freeform'),
  }),
] as const;
