import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';

/** A schema of Zod with its kind. */
type Kind = z.core.$ZodTypes;

/** A schema without what wraps it, such as a default, and the description that it or a wrapper has. */
export interface Plain {
  schema: Kind;
  /** The schema with its wrappers, which may refuse what the plain one accepts. */
  wrapped: z.core.$ZodType;
  description?: string | undefined;
}

/** All schemas of Zod are of these kinds; the base type of its functions does not say so. */
const kindOf = (schema: z.core.$ZodType) => schema as Kind;

/**
 * Removes what wraps a schema: defaults, refinements, conversions and unions.
 * @returns the members of a union, or the one schema
 */
export function unwrap(
  outer: z.core.$ZodType,
  description: string | undefined = z.globalRegistry.get(outer)?.description,
  wrapped = outer,
): Plain[] {
  const schema = kindOf(outer);
  const { def } = schema._zod;
  const next = (inner: z.core.$ZodType) =>
    unwrap(inner, description ?? z.globalRegistry.get(inner)?.description, wrapped);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return next(def.innerType);
    case 'pipe':
      return next(kindOf(def.in)._zod.def.type === 'transform' ? def.out : def.in);
    case 'lazy':
      return next(def.getter());
    case 'union':
      return def.options.flatMap((option) => unwrap(option, description));
    default:
      return [{ schema, wrapped, description }];
  }
}

/** The schema of one member of an object, or of one element of a list. */
function memberOf(plain: Plain, key: PropertyKey): z.core.$ZodType | undefined {
  const { def } = plain.schema._zod;
  if (def.type === 'object') return shapeOf([plain])[String(key)];
  if (def.type === 'record') return def.valueType;
  if (def.type === 'array') return def.element;
  return def.type === 'tuple' ? def.items[Number(key)] : undefined;
}

/**
 * Whether an object of a union is meant by a value: their types are the same, or one has none. A text is
 * short for an object of that type.
 */
function isMeant({ schema }: Plain, value: unknown): boolean {
  const { def } = schema._zod;
  const type = typeOf(value);
  if (def.type !== 'object' || type === undefined || !def.shape.type) return true;
  return literalsOf(def.shape.type).includes(type);
}

/** The values that a schema of literals or an enumeration allows; none for others. */
export function literalsOf(schema: z.core.$ZodType): unknown[] {
  return unwrap(schema).flatMap((plain) => {
    const { def } = plain.schema._zod;
    if (def.type === 'literal') return [...def.values];
    return def.type === 'enum' ? Object.values(def.entries) : [];
  });
}

/** The `type` of a value of a request, for which a text can stand; undefined if it has none. */
export const typeOf = (value: unknown): unknown =>
  typeof value === 'string' ? value : memberAt(value, 'type');

/** A member of a parsed JSON value; undefined if there is none. */
export function memberAt(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

/** The part of a parsed JSON value at a path; undefined if there is none. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(memberAt, value);

/** Whether a path is another one or leads further from it. */
export const isUnder = (path: readonly PropertyKey[], above: readonly PropertyKey[]): boolean =>
  above.every((key, index) => path[index] === key);

/** A parsed JSON value with another value at a path. */
export function replaceAt(value: unknown, [key, ...rest]: readonly PropertyKey[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? replaceAt(each, rest, by) : each));
  return isJsonObject(value) ? { ...value, [key]: replaceAt(memberAt(value, key), rest, by) } : value;
}

/**
 * Finds the schemas of the part of a request at a path.
 * @param value the request, which decides between the members of unions that have a `type`
 */
export function schemasAt(root: z.core.$ZodType, path: readonly PropertyKey[], value: unknown): Plain[] {
  let found = unwrap(root);
  let part = value;
  for (const key of path) {
    found = found.flatMap((plain) => {
      const member = memberOf(plain, key);
      return member ? unwrap(member) : [];
    });
    part = memberAt(part, key);
    const meant = found.filter((plain) => isMeant(plain, part));
    if (meant.length) found = meant;
  }
  return found;
}

/** The members that an object may have, by name; those of all objects of a union together. */
export function shapeOf(plains: readonly Plain[]): Record<string, z.core.$ZodType> {
  const shapes = plains.map(({ schema: { _zod } }) => (_zod.def.type === 'object' ? _zod.def.shape : {}));
  // Without a prototype, whose members, such as `toString`, are names that a request may have.
  return Object.assign(Object.create(null), ...shapes);
}

/** The names of the members that an object must have. */
export const requiredKeys = (shape: Record<string, z.core.$ZodType>): string[] =>
  Object.keys(shape).filter((key) => !z.safeParse(shape[key]!, undefined).success);

/** Whether the object at a path need not have its last member. */
export function isOptionalAt(root: z.core.$ZodType, path: readonly PropertyKey[], value: unknown): boolean {
  const member = shapeOf(schemasAt(root, path.slice(0, -1), value))[String(path.at(-1))];
  return member !== undefined && z.safeParse(member, undefined).success;
}
