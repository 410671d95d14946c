import { z } from 'zod';
import { fieldsOf } from './json-object.ts';
import { findSimilarName, plainName } from './similar-name.ts';

/**
 * Makes an object ignore members that it does not know, except those that are spelled like one of its own, or contain it, such as `countryCode`:
 * these are mistakes.
 * @param object accepts unknown members
 * @param names its own members
 */
export const ignoreOthers = <Schema extends z.ZodType>(object: Schema, names: readonly string[]) => {
  return z.preprocess((sent, context) => {
    const others = Object.keys(fieldsOf(sent)).filter((key) => !names.includes(key));
    const contains = (key: string) => names.some((name) => plainName(key).includes(plainName(name)));
    const keys = others.filter((key) => findSimilarName(key, names) ?? contains(key));
    if (keys.length) context.addIssue({ code: 'unrecognized_keys', keys, input: fieldsOf(sent) });
    return sent;
  }, object);
};
