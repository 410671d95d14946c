import { z } from 'zod';
import { fieldsOf } from './json-object.ts';
import { findSimilarName, plainName } from './similar-name.ts';

/** The members of an object that are spelled like one of the given names, or whose name contains one of them. */
export function mistakenNames(object: Record<string, unknown>, names: readonly string[]): string[] {
  const others = Object.keys(object).filter((key) => !names.includes(key));
  const contains = (key: string) => names.some((name) => plainName(key).includes(plainName(name)));
  return others.filter((key) => findSimilarName(key, names) ?? contains(key));
}

/**
 * Makes an object ignore members that it does not know, except those that are spelled like one of its own, or
 * whose name contains one of its own, such as `countryCode`: these are mistakes.
 * @param object accepts unknown members
 * @param names its own members
 */
export const ignoreOthers = <Schema extends z.ZodType>(object: Schema, names: readonly string[]) => {
  return z.preprocess((sent, context) => {
    const keys = mistakenNames(fieldsOf(sent), names);
    if (keys.length) context.addIssue({ code: 'unrecognized_keys', keys, input: fieldsOf(sent) });
    return sent;
  }, object);
};
