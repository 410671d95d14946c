import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName } from '../../json/similar-name.ts';
import { FEW_MS } from '../../schemas/actions.ts';
import { tagOfLanguage } from '../../schemas/language.ts';
import { exampleFor, isShort } from './examples.ts';
import { entriesFrom } from './member-keys.ts';
import { type Checked, unitOf } from './mistake.ts';
import { singularOf, wordsOf } from './option-words.ts';
import { countryIn } from './place-words.ts';
import { literalsOf, type Plain, shapeOf, unwrap } from './request-schema.ts';
import { rewriteAs } from './rewrite-value.ts';
import { adviseOnType, adviseOnValue } from './value-names.ts';

/** An option that a request has by a wrong name. */
export interface Misnamed {
  key: string;
  value: unknown;
  /** The options of the place. */
  shape: ReturnType<typeof shapeOf>;
  part: Checked['part'];
}

/** The length in ms of the units that names of options have. */
const UNITS_MS: readonly (readonly [string, number])[] = [
  ['ms', 1],
  ['millisecond', 1],
  ['second', 1000],
  ['sec', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
];

/** Advice that names one option and nothing else, such as `Use limit, the most pages.` */
const BARE_ADVICE = /^Use (\w+)(?:(, [^:]*)|,(?: [^:]*)? such as .*)?\.$/s;
/** What such advice says of the value that is still true beside another example. */
const KEPT_CLAUSE = /^, (in \w+|a list of CSS selectors)$/;

/**
 * Says which option is meant, with the value as it is written there.
 * @param isRepeated whether the value is told also where it is the one that was sent
 */
export function useOption(
  name: string,
  form: string | undefined,
  misnamed: Misnamed,
  isRepeated = false,
): string {
  const example = (isRepeated && convert(name, misnamed)?.text) || exampleOfOption(name, misnamed);
  const schema = misnamed.shape[name];
  const unit = schema && unitOf(unwrap(schema));
  const clause = form ?? (unit && `in ${unit}`);
  if (misnamed.part === 'query') return `Use ${name}${example && `=${example}`}.`;
  return `Use ${name}${clause ? `, ${clause}` : ''}${example && `: ${example}`}.`;
}

/** Adds the value that was sent, as it is written there, to advice that only names an option. */
export function withSentValue(advice: string, misnamed: Misnamed): string {
  const [, name = '', clause = ''] = BARE_ADVICE.exec(advice) ?? [];
  // A switch may be the opposite of the option: `ignoreSitemap`.
  if (!Object.hasOwn(misnamed.shape, name) || typeof misnamed.value === 'boolean') return advice;
  const converted = convert(name, misnamed);
  if (converted === undefined || (converted.isAsSent && !advice.includes(' such as '))) return advice;
  const { text } = converted;
  // A number is no text, but a few texts have numbers.
  if (typeof misnamed.value === 'number' && text.startsWith('"')) return advice;
  if (misnamed.part === 'query') return `Use ${name}=${text}.`;
  return `Use ${name}${KEPT_CLAUSE.test(clause) ? clause : ''}: ${text}.`;
}

/** Asks whether an option is meant, as {@link useOption} says it. */
export function suggestOption(name: string, misnamed: Misnamed): string {
  const example = exampleOfOption(name, misnamed);
  if (example && misnamed.part === 'query') return `Did you mean ${name}? Write ${name}=${example}.`;
  if (example) return `Did you mean ${name}? Write ${JSON.stringify(name)}: ${example}.`;
  const { value, shape } = misnamed;
  const schema = shape[name];
  const isFit = !schema || value === undefined || z.safeParse(schema, value).success;
  const description = isFit ? undefined : unwrap(schema)[0]?.description;
  const advice = isFit ? undefined : adviseOnType(name, value);
  if (advice) return `${advice}.`;
  if (description) return `Did you mean ${name}? It is: ${description}.`;
  const seconds = isFit && typeof value === 'number' && schema && secondsIn(value, schema, unwrap(schema));
  return seconds
    ? `Did you mean ${name}, in ms? If you mean ${value} seconds, write ${seconds}.`
    : `Did you mean ${name}?`;
}

/** A number of seconds in ms, where so few milliseconds would be accepted, but hardly meant. */
function secondsIn(value: number, schema: z.core.$ZodType, plains: readonly Plain[]): number | undefined {
  const isFew = unitOf(plains) === 'ms' && value > 0 && value <= FEW_MS;
  return isFew && z.safeParse(schema, value * 1000).success ? value * 1000 : undefined;
}

/** Whether a value can be one of an option, as it is or in another form. */
export const mayBe = (name: string, misnamed: Misnamed): boolean =>
  misnamed.value === undefined ||
  misnamed.part === 'query' ||
  convert(name, { ...misnamed, key: name }) !== undefined ||
  exampleOfOption(name, { ...misnamed, key: name }) !== '';

/** The value of an option, or else an example; empty if it is the one that was sent. */
function exampleOfOption(name: string, misnamed: Misnamed): string {
  const { value, shape, part } = misnamed;
  const schema = shape[name];
  if (!schema || value === undefined) return '';
  const converted = convert(name, misnamed);
  if (converted) return converted.isAsSent ? '' : converted.text;
  if (part === 'query') return '';
  const plains = unwrap(schema);
  const example = exampleFor(plains, value, { name, unit: unitIn(name, plains), isEntry: false });
  // An object without members, in which the value is not, helps nobody.
  return example === '{}' || example === '[]' ? '' : example;
}

const unitIn = (name: string, plains: readonly Plain[]) => (name === 'milliseconds' ? 'ms' : unitOf(plains));

/** The value of an option that is meant by one which it refuses; undefined if none is, or the value is right. */
export function meantValueOf(name: string, misnamed: Misnamed): unknown {
  const converted = convert(name, misnamed);
  return converted?.isAsSent ? undefined : converted?.value;
}

/** A value as an option has it. */
interface Converted {
  value: unknown;
  /** As JSON, or as it is written in a query. */
  text: string;
  isAsSent: boolean;
}

/**
 * Brings the value of an unknown option into the form of another option.
 * @returns undefined if it can be no value of it
 */
function convert(name: string, { key, value, shape, part }: Misnamed): Converted | undefined {
  const schema = shape[name];
  if (!schema || value === undefined || !isShort(value)) return undefined;
  const plains = unwrap(schema);
  const isFit = (each: unknown) =>
    each !== undefined && hasKnownMembers(each, plains) && z.safeParse(schema, each).success;
  const unit = unitIn(name, plains);
  const inOwnUnit = inUnit(key, value, unit);
  const place = { name, unit };
  const candidates = [
    inOwnUnit,
    ...(name === 'country' ? [countryIn(value)] : []),
    ...(name === 'lang' && typeof value === 'string' ? [tagOfLanguage(value)] : []),
    meantChoice(name, value, literalsOf(schema)),
    entriesFrom(name, value, schema),
    choicesIn(name, value, plains),
    ...plains.flatMap((plain) => rewriteAs(plain.schema, inOwnUnit, place)),
    ...otherUnits(value, unit),
  ];
  const meant = candidates.find(isFit);
  if (meant === undefined) return undefined;
  const text = part === 'query' && typeof meant !== 'object' ? String(meant) : JSON.stringify(meant);
  return { value: meant, text, isAsSent: meant === value };
}

/** Whether an object has only members of an option, which may ignore others. */
function hasKnownMembers(value: unknown, plains: readonly Plain[]): boolean {
  const known = Object.keys(shapeOf(plains));
  return !known.length || !isJsonObject(value) || Object.keys(value).every((name) => known.includes(name));
}

/** The value of an enumeration that is meant by another one. */
export function meantChoice(name: string, value: unknown, choices: readonly unknown[]): unknown {
  if (choices.includes(value)) return value;
  const advised = choices.find(
    (each) => adviseOnValue(name, value, choices) === `Write ${JSON.stringify(each)}`,
  );
  if (advised !== undefined || typeof value !== 'string') return advised;
  const names = choices.filter((each) => typeof each === 'string');
  return findSimilarName(value, names) ?? findSimilarName(singularOf(value), names);
}

/** The list of values of an enumeration that are meant by one value or several. */
function choicesIn(name: string, value: unknown, plains: readonly Plain[]): unknown[] | undefined {
  const choices = plains.flatMap(({ schema: { _zod } }) =>
    _zod.def.type === 'array' ? choicesOf(_zod.def.element) : [],
  );
  const meant = (Array.isArray(value) ? value : [value]).map((each) => meantChoice(name, each, choices));
  return choices.length && !meant.includes(undefined) ? meant : undefined;
}

/** The values of an entry of a list, or the types of its objects, for which their names are short. */
const choicesOf = (entry: z.core.$ZodType): unknown[] =>
  [
    ...literalsOf(entry),
    ...unwrap(entry).flatMap((plain) => literalsOf(shapeOf([plain]).type ?? z.never())),
  ].filter((each, index, all) => all.indexOf(each) === index);

/** A number without a unit that fits only as seconds in place of milliseconds, or the other way round. */
const otherUnits = (value: unknown, unit: string | undefined): number[] =>
  typeof value !== 'number' ? [] : unit === 'ms' ? [value * 1000] : unit === 'seconds' ? [value / 1000] : [];

/** A number whose unit the name of its option tells, in the unit of another option. */
function inUnit(key: string, value: unknown, unit: string | undefined): unknown {
  if (typeof value !== 'number' || (unit !== 'ms' && unit !== 'seconds')) return value;
  const words = wordsOf(key);
  const [, ms = undefined] = UNITS_MS.find(([name]) => words.has(name)) ?? [];
  if (ms === undefined) return value;
  return unit === 'ms' ? value * ms : (value * ms) / 1000;
}
