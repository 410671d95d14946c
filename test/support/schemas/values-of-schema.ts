import fc from 'fast-check';
import { fieldsOf } from '../../../src/json/json-object.ts';

/** A JSON Schema, as the API reference has them: draft 2020-12 without references. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 3;
const MAX_CHARACTERS = 40;

const listOf = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const namesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const numberOr = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback);

/** Whether no value conforms to a schema. */
const isImpossible = ({ not }: JsonSchema) => not !== undefined && Object.keys(fieldsOf(not)).length === 0;

/**
 * Generates values of a schema, of which most conform to it: alternatives may exclude each other. Its
 * examples stand for all texts of a form that it cannot express.
 */
export function valuesOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.examples)) return fc.constantFrom(...schema.examples);
  const { anyOf, oneOf, ...rest } = schema;
  const choices = [...listOf(anyOf), ...listOf(oneOf)];
  if (choices.length) return fc.oneof(...choices.map((choice) => valuesOf(merge(rest, choice))));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type })));
  return ofType(schema);
}

/** An alternative of a schema, with the keywords that the schema has besides. */
function merge(schema: JsonSchema, choice: JsonSchema): JsonSchema {
  const names = new Set([
    ...Object.keys(fieldsOf(schema.properties)),
    ...Object.keys(fieldsOf(choice.properties)),
  ]);
  const properties = [...names].map((name) => [
    name,
    { ...fieldsOf(fieldsOf(schema.properties)[name]), ...fieldsOf(fieldsOf(choice.properties)[name]) },
  ]);
  const required = [...namesOf(schema.required), ...namesOf(choice.required)];
  return {
    ...schema,
    ...choice,
    ...(names.size && { properties: Object.fromEntries(properties) }),
    ...(required.length && { required }),
  };
}

function ofType(schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({
        min: numberOr(schema.minimum, 0),
        max: Math.min(numberOr(schema.maximum, 1e6), 0x7fffffff),
      });
    case 'number':
      return fc.double({
        min: numberOr(schema.minimum ?? schema.exclusiveMinimum, 0),
        minExcluded: schema.exclusiveMinimum !== undefined,
        max: numberOr(schema.maximum, 1e6),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(fieldsOf(schema.items)), {
        minLength: numberOr(schema.minItems, 0),
        maxLength: Math.min(numberOr(schema.maxItems, MAX_ITEMS), MAX_ITEMS),
      });
    case 'object':
      return objects(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function texts({ pattern, format, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uri') return fc.webUrl();
  if (format === 'uuid') return fc.uuid();
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern)).filter(hasNoNul);
  return fc
    .string({
      minLength: numberOr(minLength, 0),
      maxLength: Math.min(numberOr(maxLength, MAX_CHARACTERS), MAX_CHARACTERS),
    })
    .filter(hasNoNul);
}

const hasNoNul = (text: string) => !text.includes('\0');

function objects(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = Object.entries(fieldsOf(schema.properties)).filter(
    ([, member]) => !isImpossible(fieldsOf(member)),
  );
  if (properties.length) {
    const members = properties.map(([name, member]) => [name, valuesOf(fieldsOf(member))]);
    return fc.record(Object.fromEntries(members), {
      // fast-check infers no names from a record of unknown members.
      requiredKeys: namesOf(schema.required) as never[],
    });
  }
  const { additionalProperties: values, propertyNames } = schema;
  if (values === undefined || values === false) return fc.constant({});
  return fc.dictionary(
    valuesOf({ type: 'string', minLength: 1, ...fieldsOf(propertyNames) }) as fc.Arbitrary<string>,
    valuesOf(fieldsOf(values)),
    {
      maxKeys: MAX_ITEMS,
      noNullPrototype: true,
    },
  );
}
