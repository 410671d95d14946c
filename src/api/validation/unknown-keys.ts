import type { z } from 'zod';
import { quote } from '../../errors.ts';
import { REPLACEMENTS } from './key-names.ts';
import { memberAt, schemasAt, shapeOf, unwrap, valueAt } from './request-schema.ts';
import { findSimilarName, plainName } from './similar-name.ts';

/** A place in a request that has a key which its schema does not know. */
interface Place {
  schema: z.core.$ZodType;
  /** The whole request. */
  request: unknown;
  /** The object with the key. */
  path: readonly PropertyKey[];
}

/** At a place with no more options than this, all of them are named. */
const MAX_NAMED = 12;

/**
 * Says what to write instead of a key that the schema of a request does not know: its name today, the place
 * where it belongs, or the name that is spelled like it.
 * @returns a sentence
 */
export function adviseOnKey(key: string, { schema, request, path }: Place): string {
  const shape = shapeOf(schemasAt(schema, path, request));
  const known = Object.keys(shape);
  const replacement = REPLACEMENTS.find(({ names, beside }) => names.includes(key) && known.includes(beside));
  const sameSpelling = known.find((name) => plainName(name) === plainName(key));
  if (sameSpelling) return `Did you mean ${sameSpelling}?`;
  if (replacement) return replacement.advice;
  const container = known.find((name) => Object.hasOwn(shapeOf(unwrap(shape[name]!)), key));
  if (container) return `Put it in ${container}: ${quoteObject(container, key)}.`;
  const members = Object.keys(memberAt(valueAt(request, path), key) ?? {});
  if (members.length && members.every((name) => known.includes(name)))
    return `Write its members (${members.slice(0, MAX_NAMED).join(', ')}) without it, one level higher.`;
  if (path.length && Object.hasOwn(shapeOf(schemasAt(schema, path.slice(0, -1), request)), key))
    return `It belongs beside ${String(path.at(-1))}, not in it.`;
  const similar = findSimilarName(key, known);
  if (similar) return `Did you mean ${similar}?`;
  const all = known.length && known.length <= MAX_NAMED ? ` Known are ${known.join(', ')}.` : '';
  return `Remove it or check its spelling.${all}`;
}

const quoteObject = (container: string, key: string) => `{${quote(container)}: {${quote(key)}: …}}`;
