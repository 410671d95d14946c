import type { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { validate } from '../validation/validate.ts';

/**
 * Checks a part of a request as {@link validate} does, but ignores keys that the schema does not know, as
 * version 1 of the API did.
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
    issue.code === 'unrecognized_keys' ? [{ path: issue.path, keys: issue.keys }] : [],
  );
  return validate(schema, unknown.reduce(withoutKeys, request), part);
}

/** Copies a value without some keys of the object at a path. */
function withoutKeys(
  value: unknown,
  { path, keys }: { path: readonly PropertyKey[]; keys: readonly string[] },
): unknown {
  const [first, ...rest] = path;
  if (Array.isArray(value))
    return value.map((each, index) => (index === first ? withoutKeys(each, { path: rest, keys }) : each));
  if (!isJsonObject(value)) return value;
  if (first === undefined)
    return Object.fromEntries(Object.entries(value).filter(([name]) => !keys.includes(name)));
  const name = String(first);
  return { ...value, [name]: withoutKeys(value[name], { path: rest, keys }) };
}

/** Leaves out the members of an object that are null, which older clients send for what is not set. */
export function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
