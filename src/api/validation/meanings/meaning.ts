import { isJsonObject } from '../../../json/json-object.ts';
import { isShort } from '../examples.ts';

/** What to do in place of options of other tools, by the words in their names. */
export interface Meanings {
  /** The option that the place of the mistake must know. */
  beside: string;
  /**
   * What to do, as a sentence or made from the value of the option, by words that are all in its name; of words
   * with `|` between them, one is, and with `=` in front, it has no others. The first that fits holds.
   */
  advice: Readonly<Record<string, string | ((value: unknown) => string)>>;
}

/** A value as JSON. */
export const json = (value: unknown) => JSON.stringify(value);

/** A value that is a short text, or another one. */
export const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value && isShort(value) ? value : other;

/** The CSS selectors of a value, as a list in JSON; another one if it has none, or has XPath. */
export function selectorsOf(value: unknown, other: string): string {
  const all = (Array.isArray(value) ? value : [value])
    .map((each) => (isJsonObject(each) ? each.selector : each))
    .filter((each) => typeof each === 'string' && each && !/^\(*\.?\//.test(each));
  return json(all.length && isShort(all) ? all : [other]);
}

/** Whether a value switches something off. */
export const isOff = (value: unknown) =>
  value === false || value === 0 || value === 'false' || value === 'none';
