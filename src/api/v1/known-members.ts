import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { shapeOf, unwrap } from '../validation/request-schema.ts';
import { validate } from '../validation/validate.ts';

/**
 * An object in a request of version 1, which ignored members that it did not know. Members that are null
 * count as not set. The others are looked up by their names, however many unknown ones there are.
 * @param shape the members that are checked here
 * @param newer the schema of version 2 that checks all others
 */
export const knownMembers = <Shape extends z.ZodRawShape>(shape: Shape, newer?: z.ZodType) => {
  const names = [...new Set([...Object.keys(shape), ...(newer ? Object.keys(shapeOf(unwrap(newer))) : [])])];
  return z.preprocess((sent) => {
    if (!isJsonObject(sent)) return sent;
    const known = names.filter((name) => Object.hasOwn(sent, name) && sent[name] !== null);
    return Object.fromEntries(known.map((name) => [name, sent[name]]));
  }, z.looseObject(shape));
};

/**
 * Checks a part of a request as {@link validate} does, but ignores keys that the schema does not know.
 * @throws ServiceError `BAD_REQUEST` for a known key with a wrong value
 */
export function validateKnownKeys<Output>(
  schema: z.ZodType<Output>,
  request: unknown,
  part: 'body' | 'query',
): Output {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const unknown = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? [{ path: issue.path, keys: new Set(issue.keys) }] : [],
  );
  return validate(schema, unknown.reduce(withoutKeys, request), part);
}

/** Copies a value without some keys of the object at a path. */
function withoutKeys(
  value: unknown,
  { path, keys }: { path: readonly PropertyKey[]; keys: ReadonlySet<string> },
): unknown {
  const [first, ...rest] = path;
  if (Array.isArray(value))
    return value.map((each, index) => (index === first ? withoutKeys(each, { path: rest, keys }) : each));
  if (!isJsonObject(value)) return value;
  if (first === undefined)
    return Object.fromEntries(Object.entries(value).filter(([name]) => !keys.has(name)));
  const name = String(first);
  return { ...value, [name]: withoutKeys(value[name], { path: rest, keys }) };
}
