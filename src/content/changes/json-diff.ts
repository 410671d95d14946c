import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../json/json-object.ts';

/** The previous and current value of each changed field; `null` where there is none. */
export type JsonChanges = Record<string, { previous: unknown; current: unknown }>;

/**
 * Compares structured data field by field; nested values are compared as a whole. A value that is not an
 * object counts as the field `value`.
 */
export function compareJson(previous: unknown, current: unknown): JsonChanges {
  const before = jsonFields(previous);
  const after = jsonFields(current);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .map((name) => [name, { previous: before[name] ?? null, current: after[name] ?? null }] as const)
      .filter(([, each]) => !isDeepStrictEqual(each.previous, each.current)),
  );
}

const jsonFields = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : { value });
