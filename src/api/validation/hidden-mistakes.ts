import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName } from '../../json/similar-name.ts';
import { resolveUnions } from './describe-choice.ts';
import type { Checked, Issue } from './mistake.ts';
import { onlyNameIn } from './option-words.ts';
import { literalsOf, memberAt, schemasAt, shapeOf, valueAt } from './request-schema.ts';
import { meantValue } from './value-names.ts';

/** Mistakes in a request as it is after others are mended. */
export interface HiddenMistakes {
  issues: Issue[];
  /** The mended request. */
  checked: Checked;
}

/**
 * Finds what is also wrong in objects whose `type` is that of another tool: `{"type": "fill", "value": "tea"}` is a
 * `write`, which has `text`. Without it, a person would be told of that only after the next request.
 */
export function findHidden(issues: readonly Issue[], checked: Checked): HiddenMistakes | undefined {
  let { request } = checked;
  const places: PropertyKey[][] = [];
  for (const issue of issues) {
    const place = placeOfType(issue);
    const type = place && meantType(place, checked);
    if (!type) continue;
    places.push(place);
    request = replaceAt(request, [...place, 'type'], type);
  }
  if (!places.length) return undefined;
  const mended = { ...checked, request };
  const { error } = z.safeParse(checked.schema, request, { error: () => '' });
  const found = resolveUnions(error?.issues ?? [], mended).filter(({ path }) =>
    places.some((place) => place.every((key, index) => path[index] === key)),
  );
  return found.length ? { issues: found, checked: mended } : undefined;
}

/** The object of a union whose `type` is wrong; undefined for other mistakes. */
function placeOfType({ code, path }: Issue): PropertyKey[] | undefined {
  if (code !== 'invalid_union' && code !== 'invalid_value') return undefined;
  return path.at(-1) === 'type' ? path.slice(0, -1) : path;
}

/** The type that is meant by one that is unknown. */
function meantType(place: readonly PropertyKey[], { schema, request }: Checked): string | undefined {
  const sent = valueAt(request, place);
  const type = memberAt(sent, 'type');
  if (!isJsonObject(sent) || typeof type !== 'string') return undefined;
  const types = schemasAt(schema, place, request)
    .flatMap((plain) => literalsOf(shapeOf([plain]).type ?? plain.schema))
    .filter((each) => typeof each === 'string');
  if (types.includes(type)) return undefined;
  const option = String(place.findLast((key) => typeof key === 'string'));
  const known = meantValue(option, type, types);
  return types.find((each) => each === known) ?? findSimilarName(type, types) ?? onlyNameIn(type, types);
}

/** A parsed JSON value with another value at a path. */
function replaceAt(value: unknown, [key, ...rest]: readonly PropertyKey[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? replaceAt(each, rest, by) : each));
  return isJsonObject(value) ? { ...value, [key]: replaceAt(memberAt(value, key), rest, by) } : value;
}
