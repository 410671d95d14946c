import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A JSON Schema, draft 7 or 2020-12, as a user sent it. */
export type Schema = Record<string, unknown>;

const MOST_NODES = 5_000;
const MOST_DEPTH = 40;
/** References to references, and alternatives of alternatives. */
const MOST_HOPS = 6;
const MOST_BRANCHES = 10;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why something is no JSON Schema that we can work with; `undefined` when it is one. */
export function schemaFault(schema: Schema): string | undefined {
  if (!isBounded(schema)) return `has more than ${MOST_NODES} members or is nested deeper than ${MOST_DEPTH}`;
  const { $schema: _, ...plain } = schema;
  const ajv = dialectOf(schema);
  return ajv.validateSchema(plain) ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'schema' });
}

/**
 * Tells what of a value does not fit.
 * @throws Error for a schema whose references or patterns lead nowhere
 */
export function validation(schema: Schema): (value: unknown) => ErrorObject[] {
  const { $schema: _, ...plain } = schema;
  const ajv = dialectOf(schema);
  try {
    const validate = ajv.compile(plain);
    return (value) => (validate(value) ? [] : (validate.errors ?? []));
  } finally {
    // It would be kept for as long as the thread lives.
    ajv.removeSchema(plain);
  }
}

const OPTIONS = { strict: false, allErrors: true, logger: false, ownProperties: true } as const;
const dialects = new Map<string, Ajv>();

function dialectOf({ $schema }: Schema): Ajv {
  const name = typeof $schema === 'string' && /draft-0[4-7]/.test($schema) ? 'draft-07' : '2020-12';
  const known = dialects.get(name);
  if (known) return known;
  const ajv = name === 'draft-07' ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  addFormats.default(ajv);
  dialects.set(name, ajv);
  return ajv;
}

/** Without recursion, for the depth is the user's to choose. */
function isBounded(schema: unknown): boolean {
  const stack = [{ value: schema, depth: 0 }];
  let nodes = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (++nodes > MOST_NODES || top.depth > MOST_DEPTH) return false;
    if (typeof top.value !== 'object' || top.value === null) continue;
    for (const value of Object.values(top.value)) stack.push({ value, depth: top.depth + 1 });
  }
  return true;
}

/** What a value may be: the schema without references, one for each alternative; `null` is left out. */
export function alternativesOf(schema: unknown, root: Schema, hops = MOST_HOPS): Schema[] {
  if (!isSchema(schema) || hops === 0) return [];
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (typeof $ref === 'string') {
    return alternativesOf(target($ref, root), root, hops - 1).map((each) => ({ ...each, ...own }));
  }
  if (Array.isArray(allOf)) {
    const parts = allOf
      .slice(0, MOST_BRANCHES)
      .flatMap((part) => alternativesOf(part, root, hops - 1).slice(0, 1));
    return alternativesOf(
      { ...merged([...parts, own]), ...(anyOf !== undefined && { anyOf }) },
      root,
      hops - 1,
    );
  }
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) {
    return choice
      .slice(0, MOST_BRANCHES)
      .flatMap((each) => alternativesOf(each, root, hops - 1).map((one) => merged([own, one])));
  }
  const types = [own.type].flat().filter((type) => type !== 'null');
  if (own.type !== undefined && types.length === 0) return [];
  return types.length > 1 ? types.map((type) => ({ ...own, type })) : [{ ...own, type: types[0] }];
}

/** Whether a schema takes `null`. */
export function isNullable(schema: unknown, root: Schema, hops = MOST_HOPS): boolean {
  if (!isSchema(schema) || hops === 0) return false;
  if (typeof schema.$ref === 'string') return isNullable(target(schema.$ref, root), root, hops - 1);
  const choice = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choice))
    return choice.slice(0, MOST_BRANCHES).some((each) => isNullable(each, root, hops - 1));
  return schema.nullable === true || schema.const === null || [schema.type].flat().includes('null');
}

export const propertiesOf = (schema: Schema): [string, unknown][] =>
  isSchema(schema.properties) ? Object.entries(schema.properties) : [];

function merged(schemas: Schema[]): Schema {
  const properties = Object.fromEntries(schemas.flatMap(propertiesOf));
  const required = schemas.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []));
  return {
    ...Object.assign({}, ...schemas),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** What a reference within the schema leads to. */
function target(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(1).split('/').filter(Boolean)) {
    at = isSchema(at) ? at[part.replace(/~1/g, '/').replace(/~0/g, '~')] : undefined;
  }
  return at;
}
