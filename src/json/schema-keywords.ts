import type { z } from 'zod';

/** Keywords of JSON Schema, draft 2020-12. */
type Keywords = Record<string, unknown>;

/**
 * Adds keywords to the JSON Schema of a schema, so that the API reference also has the rules that code
 * checks. They replace keywords of the same name, and stay when the schema gets a description or further
 * checks.
 * @example
 * const country = withKeywords(z.string().refine(isCountry), { pattern: '^[A-Za-z]{2}$' });
 */
export function withKeywords<Schema extends z.ZodType>(schema: Schema, keywords: Keywords): Schema {
  return withJsonSchema(schema, (jsonSchema) => Object.assign(jsonSchema, keywords));
}

/**
 * Replaces the whole JSON Schema of a schema, for values of which the code accepts fewer than the type says.
 */
export function withOnlyKeywords<Schema extends z.ZodType>(schema: Schema, keywords: Keywords): Schema {
  return withJsonSchema(schema, (jsonSchema) => replaceKeywords(jsonSchema, keywords));
}

/**
 * An object for which a string may stand: its member of that name, all others being optional.
 * @param strings the JSON Schema of those strings
 */
export function withShorthand<Schema extends z.ZodType>(schema: Schema, strings: Keywords): Schema {
  return withJsonSchema(schema, (jsonSchema) => {
    const { description, ...object } = jsonSchema;
    replaceKeywords(jsonSchema, {
      ...(description !== undefined && { description }),
      anyOf: [{ type: 'string', ...strings }, object],
    });
  });
}

/** The keyword of an object that must have at least one of some members. */
export const atLeastOne = (...names: string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });

/** The keyword of an object that must have exactly one of some members. */
export const exactlyOne = (...names: string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });

/** Changes the JSON Schema of a schema in the API reference, after everything that changed it before. */
export function withJsonSchema<Schema extends z.ZodType>(
  schema: Schema,
  change: (jsonSchema: Keywords) => void,
): Schema {
  const earlier = schema.meta()?.override;
  return schema.meta({
    override(context) {
      if (typeof earlier === 'function') earlier(context);
      change(context.jsonSchema);
    },
  });
}

function replaceKeywords(jsonSchema: Keywords, keywords: Keywords): void {
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  Object.assign(jsonSchema, keywords);
}
