import { z } from 'zod';
import { excerpt } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { plainName } from '../../json/similar-name.ts';
import { exampleBody, exampleFor, exampleOf, isShort } from './examples.ts';
import { hasOnlyWords, wordsOf } from './option-words.ts';
import { literalsOf, memberAt, type Plain, shapeOf, unwrap } from './request-schema.ts';
import { rewriteAs } from './rewrite-value.ts';
import { suggestTyped } from './typed-object.ts';
import { adviseOnType, translate } from './value-names.ts';
import { substituteFor } from './value-substitutes.ts';

/** Options with lists of objects that have a `type`, which other tools have as options of their own. */
const LISTS = ['formats', 'actions'] as const;
/** Words beside the name of a format or an action that say nothing more. */
const BESIDE: ReadonlySet<string> = new Set(
  'get return include take make add want full raw as content output browser body response result show generate generator converter renderer create export save fetch parse extract first then format action selector limit before after json schema only'.split(
    ' ',
  ),
);
/** Words that are formats and actions elsewhere, and mean other things in longer names. */
const VAGUE: ReadonlySet<string> = new Set('type key input code select content source url'.split(' '));

/**
 * Says that an option of another tool is an entry of a list here: `screenshot: true` is a format, and
 * `click: "#more"` an action.
 * @param shape the options of the place
 * @returns a sentence; undefined for other options
 */
export function adviseOnMemberKey(
  key: string,
  value: unknown,
  shape: ReturnType<typeof shapeOf>,
): string | undefined {
  // A list of URLs or other values is not one of these entries.
  if (Array.isArray(value)) return undefined;
  const words = wordsOf(key);
  // The whole page is an option of its own, and an element none.
  if (words.has('screenshot') && (words.has('full') || words.has('selector'))) return undefined;
  // A PDF of the page has no options that a file which is read has too.
  const lists = words.has('pdf') && isJsonObject(value) ? (['parsers', ...LISTS] as const) : LISTS;
  for (const list of lists) {
    const plains = entriesOf(shape[list]);
    if (!plains.length) continue;
    const types = typesOf(plains);
    for (const word of [plainName(key), ...words]) {
      if (value !== true && VAGUE.has(word)) continue;
      if (word !== plainName(key) && !hasOnlyWords(words, new Set([...BESIDE, word]))) continue;
      const found = entryFor(list, word, { value, plains, types });
      if (!found) continue;
      if (value === false && list === 'formats')
        return 'Leave it out: the result has only what formats asks for.';
      if (value === false) continue;
      return found;
    }
  }
  return undefined;
}

/**
 * Says that an option is a member of one entry of a list, such as `fullPage` of the format `screenshot`.
 * @param shape the options of the place
 * @returns undefined for an option that no entry has, or several
 */
export function adviseOnEntryKey(
  key: string,
  value: unknown,
  shape: ReturnType<typeof shapeOf>,
): string | undefined {
  const found = [...LISTS, 'parsers'].flatMap((list) =>
    entriesOf(shape[list]).flatMap((plain) => {
      const own = shapeOf([plain]);
      const name = Object.keys(own).find((each) => plainName(each) === plainName(key));
      if (name === undefined || name === 'type' || !own.type) return [];
      const [type] = literalsOf(own.type);
      const entry = { type, ...exampleBody(plain.schema), [name]: value };
      return z.safeParse(plain.schema, entry).success ? [{ list, entry }] : [];
    }),
  );
  // A page is also taken a picture of by an action, but a format is what most people mean.
  const [first, second] = found;
  return first && first.list !== second?.list
    ? `Use ${first.list}: [${JSON.stringify(first.entry)}].`
    : undefined;
}

/**
 * The entries of a list that values mean, in place of a name, an object or several of them: `"json"`, `{"type":
 * "screenshot"}`, `["md", "links"]`.
 * @param mayBeWord whether a word of a text is enough: `json` in `json_object`
 * @returns undefined unless each of them is known
 */
export function entriesFrom(
  list: string,
  value: unknown,
  schema: z.core.$ZodType,
  mayBeWord = true,
): unknown[] | undefined {
  const known = LISTS.find((each) => each === list);
  const plains = known ? entriesOf(schema) : [];
  if (!known || !plains.length) return undefined;
  const values = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,;]+/) : [value];
  const isKnown = (entry: unknown) => z.safeParse(schema, [entry]).success;
  const entries = values.map((each) => entryFrom(known, each, { plains, isKnown, mayBeWord }));
  return entries.length && entries.every((entry) => entry !== undefined) ? entries : undefined;
}

/** The entry that one value means: its type, with the other members if it has any. */
function entryFrom(
  list: (typeof LISTS)[number],
  value: unknown,
  {
    plains,
    isKnown,
    mayBeWord,
  }: { plains: readonly Plain[]; isKnown: (entry: unknown) => boolean; mayBeWord: boolean },
): unknown {
  if (isKnown(value)) return value;
  const name = typeof value === 'string' ? value : memberAt(value, 'type');
  if (typeof name !== 'string') return suggestTyped(plains, value).find(isKnown);
  const types = typesOf(plains);
  const [type] = [plainName(name), ...(mayBeWord ? wordsOf(name) : [])].flatMap((word) => {
    const translated = translate(list, word);
    return types.filter((each) => plainName(String(each)) === word).concat(translated ?? []);
  });
  if (type === undefined) return undefined;
  const object = isJsonObject(type) ? type : { type };
  const bare = isJsonObject(type) ? type : String(type);
  const prompted = { ...object, prompt: exampleOf('prompt', z.string()) };
  const sent = isJsonObject(value) ? [{ ...value, ...object }] : [];
  return [...sent, bare, object, prompted].find(isKnown);
}

const typesOf = (plains: readonly Plain[]) =>
  plains.flatMap((plain) => literalsOf(shapeOf([plain]).type ?? plain.schema));

/** The objects that a list may have. */
function entriesOf(list: ReturnType<typeof shapeOf>[string] | undefined): Plain[] {
  if (!list) return [];
  return unwrap(list).flatMap(({ schema: { _zod } }) =>
    _zod.def.type === 'array' ? unwrap(_zod.def.element) : [],
  );
}

/** Says which entry of a list a word means. */
function entryFor(
  list: (typeof LISTS)[number] | 'parsers',
  word: string,
  { value, plains, types }: { value: unknown; plains: readonly Plain[]; types: readonly unknown[] },
): string | undefined {
  const use = (entry: unknown) => `Use ${list}: [${JSON.stringify(entry)}].`;
  const type = types.find((each) => plainName(String(each)) === word);
  const known = type ?? translate(list, word);
  if (known === undefined) {
    const advice = substituteFor(list, word);
    return advice && `${advice}.`;
  }
  if (typeof known !== 'string') return use(known);
  const [typed] = suggestTyped(plains, { [known]: value });
  const isKnown = (entry: unknown) => plains.some(({ schema }) => z.safeParse(schema, entry).success);
  const bare = { type: known };
  if (isJsonObject(value) && !isKnown(typed) && isKnown(bare)) {
    const { entry, others, advice } = withKnownMembers(bare, value, { plains, isKnown });
    const nothing =
      others.length && isShort(others)
        ? [`There is no ${others.map((each) => excerpt(each)).join(', ')} for it.`]
        : [];
    return [use(isBare(entry) && list === 'formats' ? known : entry), ...advice, ...nothing].join(' ');
  }
  const entry = typed ?? bare;
  const prompted = { ...entry, prompt: exampleOf('prompt', z.string()) };
  if (isKnown(prompted) && !isKnown(entry)) return use(prompted);
  if (!isKnown(entry))
    return `Use ${list}: [${exampleFor(plains, known, { name: list, unit: undefined, isEntry: true })}].`;
  return use(isBare(entry) && list === 'formats' ? known : entry);
}

/**
 * Adds those members of an object to an entry that it has, by their names or a word of them: `full` for `fullPage`.
 * @returns the entry, the names of the members that it does not have, and what to do in place of values that it cannot
 *   have
 */
function withKnownMembers(
  bare: { type: unknown },
  sent: Readonly<Record<string, unknown>>,
  { plains, isKnown }: { plains: readonly Plain[]; isKnown: (entry: unknown) => boolean },
): { entry: Record<string, unknown>; others: string[]; advice: string[] } {
  const plain = plains.find((each) => literalsOf(shapeOf([each]).type ?? z.never()).includes(bare.type));
  const names = plain ? Object.keys(shapeOf([plain])).filter((name) => name !== 'type') : [];
  let entry: Record<string, unknown> = { ...bare };
  const others: string[] = [];
  const advice: string[] = [];
  for (const [key, value] of Object.entries(sent)) {
    const same = names.filter((name) => plainName(name) === plainName(key));
    const found = same.length ? same : names.filter((name) => wordsOf(name).has(key.toLowerCase()));
    const [name] = found;
    if (key === 'type') continue;
    if (name === undefined || found.length > 1) {
      others.push(key);
      continue;
    }
    const [member] = plain ? unwrap(shapeOf([plain])[name]!) : [];
    const forms = member ? rewriteAs(member.schema, value, { name, unit: undefined }) : [];
    const longer = [value, ...forms].map((each) => ({ ...entry, [name]: each })).find(isKnown);
    if (longer) entry = longer;
    else
      advice.push(
        `${adviseOnType(name, value) ?? `The value of ${name} cannot be ${excerpt(JSON.stringify(value))}`}.`,
      );
  }
  return { entry, others, advice };
}

/** Whether an entry has nothing but its type, whose name is short for it. */
const isBare = (entry: unknown) => JSON.stringify(Object.keys(Object(entry))) === '["type"]';
