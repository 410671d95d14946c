import { isDeepStrictEqual } from 'node:util';

/** By field, what stood there and what stands there now; `null` where there was or is nothing. */
export type JsonChanges = Record<string, { previous: unknown; current: unknown }>;

/** The fields of structured data that differ, nested ones as a whole. What is no object counts as its field `value`. */
export function jsonChanges(previous: unknown, current: unknown): JsonChanges {
  const before = fieldsOf(previous);
  const after = fieldsOf(current);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .map((name) => [name, { previous: before[name] ?? null, current: after[name] ?? null }] as const)
      .filter(([, each]) => !isDeepStrictEqual(each.previous, each.current)),
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // An object has fields of any kind.
  return isObject ? (value as Record<string, unknown>) : { value };
}
