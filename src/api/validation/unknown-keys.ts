import { z } from 'zod';
import { excerpt, quote } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName, plainName } from '../../json/similar-name.ts';
import { isShort } from './examples.ts';
import { FOREIGN_NAMES, REPLACEMENTS, WRAPPERS } from './key-names.ts';
import { adviseOnMeaning, adviseOnValue, adviseOnWord } from './meant-options.ts';
import { adviseOnEntryKey } from './member-keys.ts';
import { mergeWithSent } from './merged-advice.ts';
import type { Checked } from './mistake.ts';
import {
  type Misnamed,
  mayBe,
  meantValueOf,
  suggestOption,
  useOption,
  withSentValue,
} from './option-advice.ts';
import { nearestOptions, singularOf, wordsOf } from './option-words.ts';
import { memberAt, requiredKeys, schemasAt, shapeOf, unwrap, valueAt } from './request-schema.ts';
import { adviseOnValueKind } from './value-kinds.ts';

/** A place in a request that has a key which its schema does not know. */
export interface Place {
  part: Checked['part'];
  schema: z.core.$ZodType;
  /** The whole request. */
  request: unknown;
  /** The object with the key. */
  path: readonly PropertyKey[];
}

/** How advice begins on a key of which nothing is known. */
export const NO_SUCH_OPTION = 'Remove it: there is no such option here.';
/** The most options that are named. */
const MAX_NAMED = 40;
/** The most members of a wrapper that get advice of their own. */
const MAX_ADVISED = 3;

/** Objects of options that are not available, into which nothing is to be put. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['threatProtection']);
/** Options that are accepted for clients and have no effect, or are not available. */
const UNLISTED: ReadonlySet<string> = new Set(
  'origin integration domainTools toolDetail useMock safeMode threatProtection'.split(' '),
);
/** Names that members of many objects have, so that they do not tell which object is meant. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['mode', 'name', 'type', 'model', 'url']);

/**
 * Says what to write instead of a key that the schema of a request does not know: its name today, the place
 * where it belongs, the name that is spelled like it, or the option that means the same.
 * @param value the value of the key
 * @returns a sentence; {@link NO_SUCH_OPTION} begins it where nothing is known of the key
 */
export const adviseOnKey = (
  key: string,
  place: Place,
  value: unknown = memberAt(valueAt(place.request, place.path), key),
): string => mergeWithSent(findAdvice(key, place, value), valueAt(place.request, place.path));

function findAdvice(key: string, place: Place, value: unknown): string {
  const { schema, request, path, part } = place;
  const shape = shapeOf(schemasAt(schema, path, request));
  const known = Object.keys(shape);
  const misnamed = { key, value, shape, part };
  const sameSpelling = known.find((name) => plainName(name) === plainName(key));
  if (sameSpelling) return suggestOption(sameSpelling, misnamed);
  const byValue = adviseOnValueKind(value, shape);
  if (byValue) return byValue;
  const replacement = findReplacement(REPLACEMENTS, misnamed);
  if (replacement) return replacement;
  const otherNumber = known.find((name) => areSingularAndPlural(name, key));
  if (otherNumber) return suggestOption(otherNumber, misnamed);
  const meaning = adviseOnValue(misnamed) ?? adviseOnMeaning(misnamed);
  const wrapped =
    (isWrapper({ key, value, known, meaning }) || hasMissing(value, misnamed, place)) &&
    adviseOnWrapper(value, known, place);
  if (wrapped) return wrapped;
  const container = findContainer(key, shape);
  if (container) return `Put it in ${container}: ${quoteObject(container, misnamed)}.`;
  const above = findAbove(key, place);
  if (above) return above;
  const entry = adviseOnEntryKey(key, value, shape);
  if (entry) return entry;
  const similar = COMMON_NAMES.has(key) ? undefined : findSimilarName(key, known);
  const isPart = similar !== undefined && plainName(similar).includes(plainName(key));
  if (similar && !isPart && mayBe(similar, misnamed)) return suggestOption(similar, misnamed);
  const foreign = path.length ? undefined : findReplacement(FOREIGN_NAMES, misnamed);
  if (foreign) return foreign;
  if (part === 'query' && !known.length)
    return 'This endpoint has no query parameters. Options of a POST are members of its JSON body.';
  const missing = adviseOnMissing(misnamed, place);
  // What the page of a result is read for may be meant, but a search needs its words.
  if (missing && meaning?.startsWith('In scrapeOptions')) return missing;
  if (meaning) return meaning;
  if (similar && (!isPart || mayBe(similar, misnamed))) return suggestOption(similar, misnamed);
  return (
    adviseAbove(misnamed, place) ??
    missing ??
    adviseOnWord(misnamed) ??
    adviseOnUrl(misnamed, place) ??
    adviseOnId(key, part) ??
    adviseOnContained(misnamed) ??
    describeNearest(key, shape)
  );
}

/** Says what an option within a list, such as that of formats, means for the whole request. */
function adviseAbove({ key, value, part }: Misnamed, { schema, request, path }: Place): string | undefined {
  const index = path.findLastIndex((part) => typeof part === 'number') - 1;
  const list = path[index];
  if (typeof list !== 'string') return undefined;
  const meaning = adviseOnMeaning({
    key,
    value,
    part,
    shape: shapeOf(schemasAt(schema, path.slice(0, index), request)),
  });
  return meaning?.startsWith('Use ') && !meaning.startsWith(`Use ${list}`)
    ? `Beside ${list}: ${meaning}`
    : undefined;
}

const areSingularAndPlural = (name: string, other: string) =>
  singularOf(plainName(name)) === singularOf(plainName(other));

/** An object that may stand around options of the request. */
interface Wrapping {
  key: string;
  value: unknown;
  /** The options of the place. */
  known: readonly string[];
  /** What the name of the object means by itself. */
  meaning: string | undefined;
}

/** How names of objects of options end. */
const WRAPPER_ENDING = /(options|opts|config|configuration|settings|params|parameters|args|data)$/i;

/** Whether the members of an object are options of the request itself. */
function isWrapper({ key, value, known, meaning }: Wrapping): boolean {
  if (!isJsonObject(value)) return false;
  const members = Object.keys(value).filter((name) => !COMMON_NAMES.has(name));
  const isNamed = WRAPPER_ENDING.test(key);
  const isKnown = members.some((name) => known.includes(name));
  return isKnown ? isNamed || !meaning : !meaning && (WRAPPERS.has(plainName(key)) || isNamed);
}

/** Whether an object has nothing but options of the place, with one among them that the request needs and lacks. */
function hasMissing(value: unknown, { shape }: Misnamed, { request, path }: Place): boolean {
  const members = Object.keys(isJsonObject(value) ? value : {});
  const sent = valueAt(request, path);
  const missing = requiredKeys(shape).filter((name) => memberAt(sent, name) === undefined);
  return (
    members.every((name) => Object.hasOwn(shape, name)) && members.some((name) => missing.includes(name))
  );
}

/** The members of an object of options that has a class beside them, as serialized programs do: `{type, params}`. */
function insideOf(value: unknown): unknown {
  const members = Object.entries(isJsonObject(value) ? value : {}).filter(([name]) => name !== 'type');
  const [[name, inner] = []] = members;
  return members.length === 1 && isJsonObject(inner) && WRAPPERS.has(plainName(name ?? '')) ? inner : value;
}

function findReplacement(table: typeof REPLACEMENTS, misnamed: Misnamed): string | undefined {
  const { key, value, shape } = misnamed;
  const found = table.find(
    ({ names, beside }) =>
      names.some((name) => plainName(name) === plainName(key)) &&
      (beside === undefined || Object.hasOwn(shape, beside)),
  );
  if (!found) return undefined;
  if ('option' in found) return useOption(found.option, found.form, misnamed);
  return withSentValue(typeof found.advice === 'function' ? found.advice(value) : found.advice, misnamed);
}

/** Says that a key stands for the only required option that is missing, if that can have its value. */
function adviseOnMissing(misnamed: Misnamed, { request, path }: Place): string | undefined {
  const { value, shape, part } = misnamed;
  const sent = valueAt(request, path);
  const missing = requiredKeys(shape).filter((name) => memberAt(sent, name) === undefined);
  const [name] = missing;
  if (name === undefined || missing.length > 1 || part === 'query' || typeof value !== 'string')
    return undefined;
  if (/^urls?$/.test(name) && !/^https?:|^[\w-]+\.[\w.-]+(\/|$)/.test(value)) return undefined;
  return mayBe(name, misnamed) ? useOption(name, undefined, misnamed, true) : undefined;
}

/** Says where an id goes that is sent in a query, which no endpoint reads it from. */
const adviseOnId = (key: string, part: Place['part']): string | undefined =>
  part === 'query' && /^(?:[a-z]+[-_]?)?id$/i.test(key)
    ? 'Leave it out: the id of a job is a part of the path, such as GET /v2/crawl/{id}.'
    : undefined;

/** Says which option is meant whose name is a word of a longer one: `effort` for `reasoning_effort`. */
function adviseOnContained(misnamed: Misnamed): string | undefined {
  const words = wordsOf(misnamed.key);
  const names = Object.keys(misnamed.shape).filter((name) => words.has(name) && !COMMON_NAMES.has(name));
  const [name] = names;
  return name && names.length === 1 && mayBe(name, misnamed)
    ? useOption(name, undefined, misnamed, true)
    : undefined;
}

const isUrl = (value: unknown) => typeof value === 'string' && /^https?:\/\//i.test(value);

/** Says which option a URL, or a list of some, is for that no name tells: pages, or else events. */
function adviseOnUrl({ value, shape }: Misnamed, { request, path }: Place): string | undefined {
  const urls = Array.isArray(value) ? value : [value];
  if (!urls.length || !urls.every(isUrl) || !isShort(urls)) return undefined;
  const sent = valueAt(request, path);
  if (shape.urls && memberAt(sent, 'urls') === undefined) return `Use urls: ${JSON.stringify(urls)}.`;
  return shape.webhook && urls.length === 1 && memberAt(sent, 'webhook') === undefined
    ? `Use webhook: ${JSON.stringify({ url: urls[0] })}, which gets the events of the job.`
    : undefined;
}

/** Says that there is no option of that name, and which ones come nearest to it. */
function describeNearest(key: string, shape: Misnamed['shape']): string {
  const listed = Object.entries(shape).filter(([name]) => !UNLISTED.has(name));
  const nearest = nearestOptions(key, Object.fromEntries(listed));
  return nearest.length ? `${NO_SUCH_OPTION} Nearest to it: ${nearest.join('; ')}.` : NO_SUCH_OPTION;
}

/** The options of a place, as a sentence that begins with a blank. */
export function listOptions({ schema, request, path }: Place): string {
  const known = Object.keys(shapeOf(schemasAt(schema, path, request))).filter((name) => !UNLISTED.has(name));
  return known.length ? ` Known are ${known.slice(0, MAX_NAMED).join(', ')}.` : '';
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
function adviseOnWrapper(sentValue: unknown, known: readonly string[], place: Place): string | undefined {
  const value = insideOf(sentValue);
  if (!isJsonObject(value)) return undefined;
  // A member that the place has itself, such as its type, keeps its own value.
  const sent = Object(valueAt(place.request, place.path));
  const members = Object.keys(value).filter((name) => !Object.hasOwn(sent, name) || !known.includes(name));
  const lifted = members.filter((name) => known.includes(name));
  const others = members.filter((name) => !known.includes(name));
  const names = lifted.slice(0, MAX_NAMED).join(', ');
  const noun = lifted.length > 1 ? 'members' : 'member';
  if (!others.length)
    return lifted.length ? `Write its ${noun} (${names}) without it, one level higher.` : 'Leave it out.';
  const advice = others
    .slice(0, MAX_ADVISED)
    .map((name) => ` ${excerpt(name)}: ${adviseOnKey(name, place, value[name])}`);
  const lift = lifted.length ? ` Write its ${noun} ${names} one level higher.` : '';
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

/** An object with the member of an object, with its value in the right form if that is short. */
function quoteObject(container: string, misnamed: Misnamed): string {
  const { key, value, shape } = misnamed;
  const members = shapeOf(unwrap(shape[container]!));
  const isRight = value !== undefined && isShort(value) && z.safeParse(members[key]!, value).success;
  const meant = isRight ? value : meantValueOf(key, { ...misnamed, shape: members });
  return `{${quote(container)}: {${quote(key)}: ${meant === undefined ? '…' : JSON.stringify(meant)}}}`;
}
