import { createRequire } from 'node:module';
import type { Ajv, ErrorObject } from 'ajv';
import { excerpt } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { findExcess, quotePattern } from '../../patterns/linear-pattern.ts';
import { compileSchemaPattern } from '../../patterns/schema-pattern.ts';
import { describeMembers, describeSchemaErrors } from './schema-faults.ts';

/** A JSON Schema (draft 7 or 2020-12) from a request. */
export type Schema = Record<string, unknown>;

const MAX_NODES = 5_000;
const MAX_DEPTH = 40;
/** Most steps through references and nested alternatives; bounds recursive schemas. */
const MAX_REFERENCE_HOPS = 6;
const MAX_ALTERNATIVES = 10;

/** The keywords of which a JSON Schema has at least one. */
const KEYWORDS = new Set(
  (
    '$schema $id $ref $defs $dynamicRef definitions $comment title description default examples type enum const ' +
    'properties patternProperties additionalProperties required propertyNames minProperties maxProperties ' +
    'dependentRequired dependentSchemas dependencies unevaluatedProperties items prefixItems additionalItems ' +
    'contains minItems maxItems uniqueItems unevaluatedItems allOf anyOf oneOf not if then else format pattern ' +
    'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf nullable'
  ).split(' '),
);

/** Says why a JSON Schema cannot be used; `undefined` when it can. */
export function findSchemaError(schema: Schema): string | undefined {
  if (!isBounded(schema)) return `has more than ${MAX_NODES} members or more than ${MAX_DEPTH} levels`;
  const members = Object.keys(schema);
  if (members.length && !members.some((name) => KEYWORDS.has(name))) return describeMembers(schema);
  const missing = findMissingReference(schema);
  if (missing !== undefined) return `refers to ${excerpt(missing)}, which it does not contain`;
  const { $schema: _, ...plain } = schema;
  const ajv = selectAjv(schema);
  if (!ajv.validateSchema(plain)) return describeSchemaErrors(ajv.errors ?? [], plain);
  return findPatternError(plain);
}

/**
 * Compiles a schema to a function that returns the errors of a value.
 * @throws Error for a schema with unresolvable references or invalid patterns
 */
export function compileValidator(schema: Schema): (value: unknown) => ErrorObject[] {
  const { $schema: _, ...plain } = schema;
  const ajv = selectAjv(schema);
  try {
    const validate = ajv.compile(plain);
    return (value) => (validate(value) ? [] : (validate.errors ?? []));
  } finally {
    // Ajv would cache it for the lifetime of the thread.
    ajv.removeSchema(plain);
  }
}

/**
 * Compiles a pattern for Ajv. A native regular expression could take exponential time on a value of a hostile
 * page.
 * @throws Error for a pattern that cannot be used
 */
function compilePatternForAjv(text: string): { test(value: string): boolean; toString(): string } {
  const pattern = compileSchemaPattern(text);
  if (typeof pattern === 'string') throw new Error(`the pattern ${quotePattern(text)} ${pattern}`);
  // Ajv keeps patterns by their text.
  return { test: pattern.matches, toString: () => text };
}

const AJV_OPTIONS = {
  // `code` would be its name in code that Ajv writes to a file.
  code: { regExp: Object.assign(compilePatternForAjv, { code: 'compilePatternForAjv' }) },
  strict: false,
  // A number such as `1e999` is read as infinity, which JSON cannot have.
  strictNumbers: true,
  allErrors: true,
  logger: false,
  ownProperties: true,
} as const;
const ajvByDialect = new Map<string, Ajv>();
const require = createRequire(import.meta.url);

function selectAjv({ $schema }: Schema): Ajv {
  const name = typeof $schema === 'string' && /draft-0[4-7]/.test($schema) ? 'draft-07' : '2020-12';
  const known = ajvByDialect.get(name);
  if (known) return known;
  const ajv = createAjv(name);
  ajvByDialect.set(name, ajv);
  return ajv;
}

/**
 * Loads Ajv on demand, because most pages need no schema, and each thread would load its 90 modules at its
 * start.
 */
function createAjv(dialect: 'draft-07' | '2020-12'): Ajv {
  const { Ajv }: typeof import('ajv') = require('ajv');
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
  const { default: addFormats }: typeof import('ajv-formats') = require('ajv-formats');
  const ajv = dialect === 'draft-07' ? new Ajv(AJV_OPTIONS) : new Ajv2020(AJV_OPTIONS);
  addFormats.default(ajv);
  return ajv;
}

/** Whether a schema stays within the bounds. Iterative, because the user chooses the depth. */
function isBounded(schema: unknown): boolean {
  const stack = [{ value: schema, depth: 0 }];
  let nodes = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (++nodes > MAX_NODES || top.depth > MAX_DEPTH) return false;
    if (typeof top.value !== 'object' || top.value === null) continue;
    for (const value of Object.values(top.value)) stack.push({ value, depth: top.depth + 1 });
  }
  return true;
}

/** Matches a schema whose parts have names of their own, by which references can find them. */
const HAS_NAMED_PARTS = /"\$(?:id|anchor|dynamicAnchor)":/;

/**
 * Finds a reference to something that the schema does not contain. In a schema with named parts, references
 * depend on the part that they are in; those are only resolved when the schema is compiled.
 */
function findMissingReference(schema: Schema): string | undefined {
  if (HAS_NAMED_PARTS.test(JSON.stringify(schema))) return undefined;
  const stack: unknown[] = [schema];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (
      isJsonObject(value) &&
      typeof value.$ref === 'string' &&
      resolveReference(value.$ref, schema) === undefined
    )
      return value.$ref;
    stack.push(...Object.values(value));
  }
  return undefined;
}

/** Keywords whose values are data, in which nothing is a pattern. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose values have a schema for each name. The names may be those of keywords. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A pattern in a schema, with the path to it. */
interface PlacedPattern {
  text: string;
  path: string;
}

/** Says which pattern of a schema cannot be used, and why; `undefined` if all can be used. */
function findPatternError(schema: Schema): string | undefined {
  // Each is compiled once, wherever it stands: a schema may have the same one a thousand times.
  const placesOf = Map.groupBy(listPatterns(schema, 'schema'), ({ text }) => text);
  const excess = findExcess([...placesOf.keys()]);
  if (excess !== undefined) return excess;
  for (const [text, [first]] of placesOf) {
    const pattern = compileSchemaPattern(text);
    if (typeof pattern === 'string') return `the pattern at ${excerpt(first?.path ?? '')} ${pattern}`;
  }
  return undefined;
}

/**
 * Lists the patterns of a schema.
 * @param path the path to the value
 * @param hasNames whether the keys of the value are names instead of keywords
 */
function listPatterns(value: unknown, path: string, hasNames = false): PlacedPattern[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const keyword = hasNames ? undefined : key;
    if (keyword === 'pattern' && typeof member === 'string')
      return [{ text: member, path: `${path}/${key}` }];
    if (keyword !== undefined && DATA_KEYWORDS.has(keyword)) return [];
    const named =
      keyword === 'patternProperties' && isJsonObject(member)
        ? Object.keys(member).map((text) => ({ text, path: `${path}/${key}/${text}` }))
        : [];
    const within = listPatterns(
      member,
      `${path}/${key}`,
      keyword !== undefined && NAMED_SCHEMAS.has(keyword),
    );
    return [...named, ...within];
  });
}

/** Decodes percent-encoding; text that is none stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/**
 * Resolves a schema to its alternatives: references, `allOf`, `anyOf`, `oneOf` and type lists become plain
 * schemas; `null` is left out.
 */
export function resolveAlternatives(schema: unknown, root: Schema, hops = MAX_REFERENCE_HOPS): Schema[] {
  if (!isJsonObject(schema) || hops === 0) return [];
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (typeof $ref === 'string') {
    return resolveAlternatives(resolveReference($ref, root), root, hops - 1).map((each) => ({
      ...each,
      ...own,
    }));
  }
  if (Array.isArray(allOf)) {
    const parts = allOf
      .slice(0, MAX_ALTERNATIVES)
      .flatMap((part) => resolveAlternatives(part, root, hops - 1).slice(0, 1));
    return resolveAlternatives(
      { ...mergeSchemas([...parts, own]), ...(anyOf !== undefined && { anyOf }) },
      root,
      hops - 1,
    );
  }
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) {
    return choice
      .slice(0, MAX_ALTERNATIVES)
      .flatMap((each) => resolveAlternatives(each, root, hops - 1).map((one) => mergeSchemas([own, one])));
  }
  const types = [own.type].flat().filter((type) => type !== 'null');
  if (own.type !== undefined && types.length === 0) return [];
  return types.length > 1 ? types.map((type) => ({ ...own, type })) : [{ ...own, type: types[0] }];
}

/** Whether a schema accepts `null`. */
export function isNullable(schema: unknown, root: Schema, hops = MAX_REFERENCE_HOPS): boolean {
  if (!isJsonObject(schema) || hops === 0) return false;
  if (typeof schema.$ref === 'string') return isNullable(resolveReference(schema.$ref, root), root, hops - 1);
  const choice = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choice))
    return choice.slice(0, MAX_ALTERNATIVES).some((each) => isNullable(each, root, hops - 1));
  return schema.nullable === true || schema.const === null || [schema.type].flat().includes('null');
}

/** The properties of an object schema by name; empty for any other schema. Their schemas are not checked. */
export const schemaProperties = (schema: Schema): [string, unknown][] =>
  isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];

function mergeSchemas(schemas: Schema[]): Schema {
  const properties = Object.fromEntries(schemas.flatMap(schemaProperties));
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []));
  return {
    ...Object.assign({}, ...schemas),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/**
 * Resolves a JSON Pointer in the fragment of a URL (RFC 6901) within the schema.
 * @returns `undefined` if it leads to nothing that the schema contains
 */
function resolveReference(reference: string, root: Schema): unknown {
  const [, pointer] = /^#((?:\/.*)?)$/.exec(reference) ?? [];
  if (pointer === undefined) return undefined;
  let at: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}
