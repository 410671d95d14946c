import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName } from '../../json/similar-name.ts';
import { resolveUnions } from './describe-choice.ts';
import { exampleOf } from './examples.ts';
import type { Checked, Issue } from './mistake.ts';
import { onlyNameIn } from './option-words.ts';
import {
  isOptionalAt,
  isUnder,
  literalsOf,
  memberAt,
  replaceAt,
  schemasAt,
  shapeOf,
  valueAt,
} from './request-schema.ts';
import { meantValue } from './value-names.ts';
import { substituteFor } from './value-substitutes.ts';

/** The most mistakes behind which others are sought. */
const MAX_TAKEN_OUT = 10;

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
    places.some((place) => isUnder(path, place)),
  );
  return found.length ? { issues: found, checked: mended } : undefined;
}

/**
 * Finds mistakes that a schema looks for only in a request without others: the rules of an object, and what converts
 * it, see nothing of one with a wrong member.
 * @param issues all that were found; none is sought behind many, because each is taken out of a copy of the request
 */
export function findBehind(issues: readonly Issue[], checked: Checked): Issue[] {
  if (issues.length > MAX_TAKEN_OUT) return [];
  const places = issues.flatMap(({ code, path }) => (code === 'unrecognized_keys' ? [] : [path]));
  if (!places.length || places.some((path) => !path.length)) return [];
  const request = places.reduce((rest: unknown, path) => withoutMember(rest, path, checked), checked.request);
  const left = { ...checked, request };
  const { error } = z.safeParse(checked.schema, request, { error: () => '' });
  // What is told of an object around a member, or within it, may come from its being taken out.
  const isApart = ({ path, code }: Issue) =>
    code === 'custom' &&
    path.length > 0 &&
    !places.some((place) => isUnder(place, path) || isUnder(path, place));
  return resolveUnions(error?.issues ?? [], left).filter(isApart);
}

/** A request without a member, or with an example in place of one that it must have. */
function withoutMember(request: unknown, path: Issue['path'], { schema }: Checked): unknown {
  const key = path.at(-1)!;
  const above = path.slice(0, -1);
  const sent = valueAt(request, above);
  if (isJsonObject(sent) && isOptionalAt(schema, path, request))
    return replaceAt(
      request,
      above,
      Object.fromEntries(Object.entries(sent).filter(([name]) => name !== key)),
    );
  const [plain] = schemasAt(schema, path, request);
  return plain ? replaceAt(request, path, exampleOf(String(key), plain.wrapped)) : request;
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
  const option = String(place.findLast((key) => typeof key === 'string'));
  if (types.includes(type) || substituteFor(option, type)) return undefined;
  const known = meantValue(option, type, types);
  return types.find((each) => each === known) ?? findSimilarName(type, types) ?? onlyNameIn(type, types);
}
