import { isJsonObject } from '../../../src/json/json-object.ts';

/** Values that are wrong at most places of a request. */
export const STRANGE: readonly unknown[] = [{}, [], null, -1.5, true, { unknown: 1 }, [[]]];

/**
 * Replaces the value at one place of a request, or adds a member there that no schema knows.
 * @param place the number of the place, from the outside in; an odd one adds the member where it can
 */
export function withFault(value: unknown, place: number, strange: unknown): unknown {
  let left = place;
  const visit = (part: unknown): unknown => {
    if (left-- === 0) return isJsonObject(part) && place % 2 ? { ...part, noSuchOption: strange } : strange;
    if (Array.isArray(part)) return part.map(visit);
    if (!isJsonObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, visit(member)]));
  };
  return visit(value);
}
