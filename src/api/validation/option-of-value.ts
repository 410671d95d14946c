import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import { isShort } from './examples.ts';
import { entriesFrom } from './member-keys.ts';
import { type Misnamed, meantChoice } from './option-advice.ts';
import { wordsOf } from './option-words.ts';
import { literalsOf, memberAt, unwrap } from './request-schema.ts';
import { substituteFor } from './value-substitutes.ts';

/** Texts that are no values of an option which accepts only some texts; the second one is a tag of a language. */
const NO_VALUES = ['zq-7919', 'qzx'];
/** Values of many options, in this API and in others, that do not tell which one is meant. */
const COMMON_VALUES: ReadonlySet<string> = new Set(
  'auto basic default normal standard none off on yes no true false all any include only skip fast slow full low medium high enabled disabled'.split(
    ' ',
  ),
);
/** Texts that are so short have a meaning by chance: `tv` is a country. */
const MIN_CHARACTERS = 3;
/** Words in names of options whose values are switched off, waited for or looked up, and not asked for. */
const OTHER_PURPOSES = ['exclude', 'wait', 'delay', 'resource', 'event', 'input', 'source', 'selector'];

/**
 * Finds the option that a value belongs to, where it is the only one of the place which accepts the value and refuses
 * others of the same kind: `["markdown", "links"]` are formats under any name.
 * @returns undefined for a value that several options accept, or that may be anything
 */
export function optionOfValue({ key, value, shape, part }: Misnamed): string | undefined {
  const words = wordsOf(key);
  if (!isTelling(value) || OTHER_PURPOSES.some((word) => words.has(word))) return undefined;
  const fits = Object.keys(shape).filter((name) =>
    part === 'query'
      ? meantChoice(name, value, literalsOf(shape[name]!)) !== undefined
      : isToldBy(value, name, shape[name]!),
  );
  return fits.length === 1 ? fits[0] : undefined;
}

/** Whether a value says something: a word that is not common, an object with a type, or a list of them. */
function isTelling(value: unknown): boolean {
  if (!isShort(value)) return false;
  if (Array.isArray(value)) return value.length > 0 && value.every(isTelling);
  if (typeof value === 'string')
    return (
      value.length >= MIN_CHARACTERS && !COMMON_VALUES.has(value.toLowerCase()) && !/^https?:/i.test(value)
    );
  return isJsonObject(value) && typeof value.type === 'string';
}

/** Whether an option accepts a value, by itself or as the entry of a list, and refuses one that means nothing. */
function isToldBy(value: unknown, name: string, schema: z.core.$ZodType): boolean {
  const accepts = (each: unknown) => z.safeParse(schema, each).success;
  const [first] = Array.isArray(value) ? value : [value];
  const word = typeof first === 'string' ? first : memberAt(first, 'type');
  // A PDF is made by an action and read by a parser.
  if (name === 'formats' && typeof word === 'string' && substituteFor(name, word)) return true;
  if (entriesFrom(name, value, schema, false)) return true;
  if (literalsOf(schema).includes(value)) return true;
  const isList = unwrap(schema).some((plain) => plain.schema._zod.def.type === 'array');
  if (Array.isArray(value) && !isList) return false;
  const inForm = (each: unknown) => (isList ? [each] : each);
  const others = NO_VALUES.map((text) => (typeof first === 'string' ? text : { type: text }));
  return (
    accepts(Array.isArray(value) ? value : inForm(value)) && !others.some((each) => accepts(inForm(each)))
  );
}
