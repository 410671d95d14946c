import { z } from 'zod';
import { excerpt } from '../../errors.ts';
import { bounded } from '../../json/bounded.ts';
import { withKeywords } from '../../json/schema-keywords.ts';
import { unlessEmpty } from '../../json/unless-empty.ts';
import type { Warn } from '../html/clean.ts';
import type { Content } from '../html/content.ts';
import { findSchemaError, type Schema } from './json-schema.ts';

/** The most that a schema may have at its top, and in all; it is sent to a language model as a whole. */
const MAX_SCHEMA_MEMBERS = 1_000;
const MAX_SCHEMA_CHARACTERS = 250_000;
/** The most characters of what is wrong in one, with an example. */
const MAX_FAULT_CHARACTERS = 500;

/** A JSON Schema in a request. */
export const jsonSchema = withKeywords(
  bounded(z.record(z.string(), z.unknown()), {
    entries: MAX_SCHEMA_MEMBERS,
    characters: MAX_SCHEMA_CHARACTERS,
  }).superRefine((schema, context) => {
    const fault = findSchemaError(schema);
    if (fault)
      context.addIssue({
        code: 'custom',
        message: `no usable JSON Schema: ${excerpt(fault, MAX_FAULT_CHARACTERS)}`,
        input: schema,
      });
  }),
  { examples: [{ type: 'object', properties: { title: { type: 'string' }, price: { type: 'number' } } }] },
).describe('JSON Schema, draft 7 or 2020-12');

/** An instruction or question in natural language in a request. */
export const promptText = z.string().min(1).max(10_000);

/** A request for data of a page. */
export interface DataRequest {
  schema?: Schema | undefined;
  prompt?: string | undefined;
}

/** The fields of a request for data of a page, at least one of which is required. */
export const dataFields = {
  schema: jsonSchema.optional(),
  prompt: unlessEmpty(promptText).describe(
    'instructions for the language model; ignored if none is configured',
  ),
};

/** Whether a request has one of the {@link dataFields}. */
export const hasSchemaOrPrompt = ({ schema, prompt }: DataRequest) =>
  schema !== undefined || prompt !== undefined;

/**
 * The warning about a schema to which any data conforms, because it declares nothing. Official SDKs send one
 * in place of a schema of zod 4, which they cannot convert.
 * @returns `undefined` for any other schema
 */
export const emptySchemaWarning = (schema: Schema | undefined): string | undefined =>
  schema !== undefined && Object.keys(schema).every((key) => key === '$schema')
    ? 'The schema declares nothing, so it has no effect. If yours does, your SDK could not convert it: pass a JSON Schema, such as z.toJSONSchema(schema) of zod 4.'
    : undefined;

/** The result of a request for data of a page. */
export const dataValue = z
  .unknown()
  .describe(
    'data of the page: in the shape of the schema, or without a schema all structured data of the page',
  );

/**
 * Extracts data from a page without a language model. With a schema, it looks for values by the names of
 * the schema's properties; without one, it returns all structured data of the page. Warnings tell the user
 * how the data was found and what is missing.
 * @param subject name of the result in warnings
 * @returns `undefined` if there is no data
 */
export async function extractData(
  content: Content,
  { schema, prompt }: DataRequest,
  warn: Warn,
  subject: string,
): Promise<unknown> {
  // Only the threads that extract data need its code.
  const { extractAll, extractBySchema } = await import('./extract.ts');
  const emptyWarning = emptySchemaWarning(schema);
  if (emptyWarning) warn(emptyWarning);
  if (schema === undefined || emptyWarning) {
    const all = extractAll(content);
    warn(
      all
        ? `${subject} is all structured data of the page. Send a schema to select from it.`
        : `${subject} was left out, because the page has no structured data. Send a schema: values are then found by the names of its properties.`,
    );
    return all;
  }
  const found = extractBySchema(content, schema);
  if (!found) {
    warn(`${subject} was left out, because nothing on the page matches the property names of the schema.`);
    return undefined;
  }
  warn(
    `${subject} has the values that match the property names of the schema${prompt ? '; the prompt was ignored' : ''}.`,
  );
  warnOfMissing(found.missing, warn, subject);
  return found.value;
}

/** Warns of properties without a value, if there are any. */
export function warnOfMissing(missing: string[], warn: Warn, subject: string): void {
  if (missing.length > 0) warn(`${subject} has no value for ${listed(missing)}.`);
}

const MAX_LISTED = 20;
const listed = (names: string[]) =>
  `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ' and others' : ''}`.slice(0, 1_000);
