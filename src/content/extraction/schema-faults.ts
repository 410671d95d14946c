import type { ErrorObject } from 'ajv';
import { excerpt, quote } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName } from '../../json/similar-name.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Names of types in programming languages, with those of JSON Schema. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  date: 'string',
  datetime: 'string',
  url: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  map: 'object',
};
/** The most faults of a schema that are told. */
const MAX_FAULTS = 3;
/** The most members of an object that are repeated as properties. */
const MAX_PROPERTIES = 5;

/** Says how an object such as `{"price": "number"}` is written as a JSON Schema. */
export function describeMembers(schema: Readonly<Record<string, unknown>>): string {
  if ('_def' in schema || '_zod' in schema)
    return 'it is a schema of Zod. Send what z.toJSONSchema(schema) makes of it, or zodToJsonSchema(schema) with Zod 3';
  return `it has no type and no properties. Write ${JSON.stringify({ type: 'object', properties: membersOf(schema) })}`;
}

/** The properties that are meant by an object with a type, or an example, for each name. */
const membersOf = (object: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(object)
      .slice(0, MAX_PROPERTIES)
      .map(([name, value]) => [excerpt(name, 60), propertyOf(value)]),
  );

/** The schema of a property that is meant by the name of a type, or by an example. */
function propertyOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: propertyOf(value[0]) };
  if (isJsonObject(value) && typeof value.type !== 'string' && Object.keys(value).length)
    return { type: 'object', properties: membersOf(value) };
  if (typeof value === 'number') return { type: 'number' };
  return { type: typeof value === 'boolean' ? 'boolean' : typeNameOf(value) };
}

function typeNameOf(value: unknown): string {
  const type = isJsonObject(value) ? value.type : value;
  return (typeof type === 'string' && nearestType(type)) || 'string';
}

/** The properties that are meant by a list of names, or of objects with names, or by an object of types. */
export function propertiesOf(value: unknown): object {
  if (isJsonObject(value) && Object.keys(value).length && !('name' in value)) return membersOf(value);
  const listed = (Array.isArray(value) ? value : [value]).slice(0, MAX_PROPERTIES).flatMap((each) => {
    const name = isJsonObject(each) ? each.name : each;
    const property = isJsonObject(each) ? propertyOf(each) : { type: 'string' };
    return typeof name === 'string' ? [[excerpt(name, 60), property] as const] : [];
  });
  return listed.length ? Object.fromEntries(listed) : { name: { type: 'string' } };
}

const nearestType = (name: string): string | undefined =>
  Object.hasOwn(TYPE_NAMES, name.toLowerCase())
    ? TYPE_NAMES[name.toLowerCase()]
    : findSimilarName(name, TYPES);

/**
 * Says what is wrong in a schema, where, and what to write. Ajv tells a fault once for each rule that it
 * breaks, so each place is told once, and none around another.
 * @param errors those of Ajv, at least one
 */
export function describeSchemaErrors(errors: readonly ErrorObject[], schema: unknown): string {
  const places = [...Map.groupBy(errors, ({ instancePath }) => instancePath)];
  const inner = places.filter(([place]) => !places.some(([other]) => other.startsWith(`${place}/`)));
  const told = inner.slice(0, MAX_FAULTS).map(([, [first]]) => describeSchemaError(first!, schema));
  return told.join('. ') || 'is not valid';
}

function describeSchemaError(first: ErrorObject, schema: unknown): string {
  const keys = first.instancePath.split('/').slice(1).map(decodeKey);
  const place = ['schema', ...keys].map((key) => excerpt(key, 60)).join('.');
  const value = keys.reduce<unknown>(memberAt, schema);
  if (keys.at(-1) === 'type') return describeWrongType(place, value);
  if (keys.at(-1) === 'required' && !Array.isArray(value)) return describeRequired(place, value, keys);
  const isSchemaWanted = first.keyword === 'type' && /object/.test(String(first.params.type));
  if (isSchemaWanted && !isJsonObject(value) && keys.at(-1) === 'properties' && keys.at(-2) !== 'properties')
    return `${place} must be an object with a schema for each name, not ${shown(value)}. Write ${JSON.stringify(propertiesOf(value))}`;
  if (isSchemaWanted && !isJsonObject(value))
    return `${place} must be an object, not ${shown(value)}. Write ${JSON.stringify(propertyOf(value))}`;
  if (first.keyword === 'type' && first.params.type === 'array')
    return `${place} must be a list, not ${shown(value)}. Write ${JSON.stringify([value])}`;
  return `${place} ${first.message ?? 'is not valid'}`;
}

function describeWrongType(place: string, value: unknown): string {
  const several =
    typeof value === 'string' ? value.split(/\s*[|,/]\s*/).map((each) => nearestType(each)) : [];
  if (several.length > 1 && several.every(Boolean))
    return `${place} must be one of ${TYPES.map((type) => quote(type)).join(', ')}, or a list of them, not ${shown(value)}. Write ${JSON.stringify(several)}`;
  const nearest = typeof value === 'string' ? nearestType(value) : undefined;
  const advice = nearest ? `. Did you mean ${quote(nearest)}?` : '';
  return `${place} must be one of ${TYPES.map((type) => quote(type)).join(', ')}, not ${shown(value)}${advice}`;
}

/** `required` is a list of names beside `properties`; drafts before 4 had a boolean in each property. */
function describeRequired(place: string, value: unknown, keys: readonly string[]): string {
  const name = typeof value === 'boolean' ? (keys.at(-2) ?? 'name') : value;
  const list = JSON.stringify([typeof name === 'string' ? excerpt(name, 60) : 'name']);
  const remedy =
    typeof value === 'boolean'
      ? `Leave it out, and write "required": ${list} beside properties`
      : `Write ${list}`;
  return `${place} must be a list of names, not ${shown(value)}. ${remedy}`;
}

const shown = (value: unknown) =>
  Array.isArray(value) ? 'a list' : excerpt(JSON.stringify(value) ?? '', 60);

/** Decodes a part of a JSON Pointer (RFC 6901). */
const decodeKey = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const memberAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
