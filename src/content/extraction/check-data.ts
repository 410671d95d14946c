import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../../json/json-object.ts';
import type { CheckedResponse } from '../language-model.ts';
import { compileSchema, isEmptyValue, removeInvalid } from './extract.ts';
import { isNullable, resolveAlternatives, type Schema } from './json-schema.ts';

/** Data that a language model has written, and the schema that it was asked for with. */
export interface CheckTask {
  schema: Schema;
  value: unknown;
  /** Whether the data is from a part of the page, so that required values may be in another part. */
  isPart?: boolean;
}

/**
 * Checks data against a schema. Keys that the schema does not declare are removed, and so is `null` where it
 * is not allowed, because models write it for missing values.
 * @throws ServiceError `BAD_REQUEST` for a schema that cannot be used
 */
export function checkData({ schema, value, isPart = false }: CheckTask): CheckedResponse {
  const validate = compileSchema(schema);
  const declared = keepDeclared(value, [schema], schema);
  const errors = validate(declared).filter(({ keyword }) => !(isPart && keyword === 'required'));
  if (errors.length === 0) return { value: declared, faults: [] };
  const rest = removeInvalid(structuredClone(declared), validate);
  return {
    value: declared,
    faults: errors.map(faultOf),
    ...(!isEmptyValue(rest) && { rest }),
  };
}

/** Describes an error of the validation, with its place as a JSON Pointer. */
function faultOf({ instancePath, message, params, keyword }: ErrorObject): string {
  const allowed = keyword === 'enum' ? ` ${JSON.stringify(params.allowedValues).slice(0, 300)}` : '';
  return `${instancePath || 'The value'} ${message ?? 'is not valid'}${allowed}.`;
}

/** Removes the keys that none of the schemas of a value declares. */
function keepDeclared(value: unknown, schemas: readonly unknown[], root: Schema): unknown {
  const alternatives = schemas.flatMap((schema) => resolveAlternatives(schema, root));
  if (Array.isArray(value)) {
    const items = alternatives.flatMap(({ items: each }) => each ?? []);
    return items.length === 0 ? value : value.map((item) => keepDeclared(item, items, root));
  }
  if (!isJsonObject(value)) return value;
  const declaring = alternatives.filter((each) =>
    KEY_KEYWORDS.some((keyword) => each[keyword] !== undefined),
  );
  if (declaring.length === 0) return value;
  const isOpen = declaring.some(
    ({ additionalProperties, patternProperties }) =>
      additionalProperties === true || isJsonObject(additionalProperties) || patternProperties !== undefined,
  );
  const kept = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const own = declaring.flatMap(({ properties }) =>
      isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    if (own.length === 0) return isOpen ? [[name, each]] : [];
    if (each === null && !own.some((schema) => isNullable(schema, root))) return [];
    return [[name, keepDeclared(each, own, root)]];
  });
  return Object.fromEntries(kept);
}

/** Keywords of a schema that declare keys. */
const KEY_KEYWORDS = ['properties', 'additionalProperties', 'patternProperties'];

/** A schema as an endpoint gets it. */
export interface RequestSchema {
  schema: Schema;
  /** Whether the data is the member `data` of an object, because endpoints enforce only objects. */
  isWrapped: boolean;
}

/** Converts a schema of a user to one that endpoints accept: its root is an object. */
export function toRequestSchema({ $schema: _, ...schema }: Schema): RequestSchema {
  const isObject = schema.type === 'object' || (schema.type === undefined && isJsonObject(schema.properties));
  if (isObject) return { schema: { ...schema, type: 'object' }, isWrapped: false };
  const data = moveReferences(schema, '#/properties/data');
  return { schema: { type: 'object', properties: { data }, required: ['data'] }, isWrapped: true };
}

/** Changes the references within a schema for its new place. */
function moveReferences(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((each) => moveReferences(each, place));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === '$ref' && typeof each === 'string' && each.startsWith('#')
        ? `${place}${each.slice(1)}`
        : moveReferences(each, place),
    ]),
  );
}

/**
 * Merges data from the parts of a page: lists are joined without repetitions, objects are merged, and of
 * other values the first one is kept.
 */
export function mergeData(parts: readonly unknown[]): unknown {
  const present = parts.filter((part) => !isEmptyValue(part));
  const [first] = present;
  if (first === undefined) return parts[0];
  if (present.every(Array.isArray)) {
    const items = present.flat();
    return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  }
  const objects = present.filter(isJsonObject);
  if (!isJsonObject(first)) return first;
  const names = new Set(objects.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      mergeData(objects.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : []))),
    ]),
  );
}
