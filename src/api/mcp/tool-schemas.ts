import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { fieldsOf, isJsonObject } from '../../json/json-object.ts';

/** A JSON Schema, draft 2020-12. */
type JsonSchema = Record<string, unknown>;
/** The schema of an object, as the protocol demands it of parameters and results. */
export type ObjectSchema = JsonSchema & { type: 'object' };

/** How deep the schema of a result names members. What is below has any form, because models read all of it. */
const RESULT_DEPTH = 2;
/** The keywords that the schema of a result keeps. A part of a result is valid, so none is about completeness. */
const RESULT_KEYWORDS = new Set(['type', 'description', 'properties', 'items', 'enum', 'const']);

/** The JSON Schema of the parameters of a tool. */
export function inputSchemaOf(input: z.ZodType): ObjectSchema {
  const { schema } = createSchema(input, { io: 'input' });
  const { additionalProperties: _, ...rest } = fieldsOf(schema);
  return { ...rest, type: 'object' };
}

/** The JSON Schema of the result of a tool, which each part of a long result matches too. */
export function outputSchemaOf(output: z.ZodType): ObjectSchema {
  const { schema, components } = createSchema(output, { io: 'output', schemaRefPath: '' });
  return { ...reduce(schema, fieldsOf(components), RESULT_DEPTH), type: 'object' };
}

/** Reduces a schema to the names, types and descriptions of its upper levels. */
function reduce(schema: unknown, components: Readonly<JsonSchema>, depth: number): JsonSchema {
  const fields = fieldsOf(schema);
  if (typeof fields.$ref === 'string') {
    const { $ref, ...own } = fields;
    return { ...reduce(components[$ref], components, depth), ...reduce(own, components, depth) };
  }
  const kept = Object.entries(fields).filter(([name]) => RESULT_KEYWORDS.has(name));
  return Object.fromEntries(
    kept.flatMap(([name, value]) => {
      if (name === 'properties') {
        if (depth === 0 || !isJsonObject(value)) return [];
        const members = Object.entries(value).map(([key, each]) => [
          key,
          reduce(each, components, depth - 1),
        ]);
        return [[name, Object.fromEntries(members)]];
      }
      if (name === 'items') return [[name, reduce(value, components, depth)]];
      return [[name, value]];
    }),
  );
}
