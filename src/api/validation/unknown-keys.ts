import type { z } from 'zod';
import { excerpt, quote } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName, plainName } from '../../json/similar-name.ts';
import { FOREIGN_NAMES, REPLACEMENTS, WRAPPERS } from './key-names.ts';
import type { Checked } from './mistake.ts';
import { memberAt, schemasAt, shapeOf, unwrap, valueAt } from './request-schema.ts';

/** A place in a request that has a key which its schema does not know. */
interface Place {
  part: Checked['part'];
  schema: z.core.$ZodType;
  /** The whole request. */
  request: unknown;
  /** The object with the key. */
  path: readonly PropertyKey[];
}

/** At a place with no more options than this, all of them are named. */
const MAX_NAMED = 12;
/** The most members of a wrapper that get advice of their own. */
const MAX_ADVISED = 3;

/** Objects of options that are not available, into which nothing is to be put. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['threatProtection']);
/** Names that members of many objects have, so that they do not tell which object is meant. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['mode', 'name', 'type', 'model', 'url']);

/**
 * Says what to write instead of a key that the schema of a request does not know: its name today, the place
 * where it belongs, or the name that is spelled like it.
 * @param value the value of the key
 * @returns a sentence
 */
export function adviseOnKey(
  key: string,
  place: Place,
  value: unknown = memberAt(valueAt(place.request, place.path), key),
): string {
  const { schema, request, path, part } = place;
  const shape = shapeOf(schemasAt(schema, path, request));
  const known = Object.keys(shape);
  const sameSpelling = known.find((name) => plainName(name) === plainName(key));
  if (sameSpelling) return `Did you mean ${sameSpelling}?`;
  const replacement = findReplacement(REPLACEMENTS, key, { known, value });
  if (replacement) return replacement;
  if (WRAPPERS.has(plainName(key))) {
    const wrapped = adviseOnWrapper(value, known, place);
    if (wrapped) return wrapped;
  }
  const container = findContainer(key, shape);
  if (container) return `Put it in ${container}: ${quoteObject(container, key)}.`;
  const above = findAbove(key, place);
  if (above) return above;
  const similar = COMMON_NAMES.has(key) ? undefined : findSimilarName(key, known);
  if (similar) return `Did you mean ${similar}?`;
  const foreign = path.length ? undefined : findReplacement(FOREIGN_NAMES, key, { known, value });
  if (foreign) return foreign;
  if (part === 'query' && !known.length)
    return 'This endpoint has no query parameters. Options of a POST are members of its JSON body.';
  const all = known.length && known.length <= MAX_NAMED ? ` Known are ${known.join(', ')}.` : '';
  return `Remove it or check its spelling.${all}`;
}

function findReplacement(
  table: typeof REPLACEMENTS,
  key: string,
  { known, value }: { known: readonly string[]; value: unknown },
): string | undefined {
  const found = table.find(
    ({ names, beside }) => names.includes(key) && (beside === undefined || known.includes(beside)),
  );
  return typeof found?.advice === 'function' ? found.advice(value) : found?.advice;
}

/** The object of the place to which a member of that name belongs. */
function findContainer(key: string, shape: Record<string, z.core.$ZodType>): string | undefined {
  if (COMMON_NAMES.has(key)) return undefined;
  const containers = Object.keys(shape).filter(
    (name) => !UNAVAILABLE.has(name) && Object.hasOwn(shapeOf(unwrap(shape[name]!)), key),
  );
  return containers.includes('scrapeOptions') ? 'scrapeOptions' : containers[0];
}

/** Says that the members of an object are options of the request itself, each by its name today. */
function adviseOnWrapper(value: unknown, known: readonly string[], place: Place): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const members = Object.keys(value);
  const lifted = members.filter((name) => known.includes(name));
  const others = members.filter((name) => !known.includes(name));
  const names = lifted.slice(0, MAX_NAMED).join(', ');
  if (!others.length)
    return lifted.length ? `Write its members (${names}) without it, one level higher.` : 'Leave it out.';
  const advice = others
    .slice(0, MAX_ADVISED)
    .map((name) => ` ${excerpt(name)}: ${adviseOnKey(name, place, value[name])}`);
  const lift = lifted.length ? ` Write its members ${names} one level higher.` : '';
  return `Leave it out.${lift} In place of its member${others.length > 1 ? 's' : ''}${advice.join('')}`;
}

/** Says that a key is an option of an object above its place. */
function findAbove(key: string, { schema, request, path }: Place): string | undefined {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const name = path[depth];
    if (typeof name !== 'string') continue;
    if (Object.hasOwn(shapeOf(schemasAt(schema, path.slice(0, depth), request)), key))
      return `It belongs beside ${name}, not in it.`;
  }
  return undefined;
}

const quoteObject = (container: string, key: string) => `{${quote(container)}: {${quote(key)}: …}}`;
