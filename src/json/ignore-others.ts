import { z } from 'zod';
import { fieldsOf } from './json-object.ts';
import { findSimilarName } from './similar-name.ts';

/**
 * Makes an object ignore members that it does not know, except those that are spelled like one of its own:
 * these are mistakes.
 * @param object accepts unknown members
 * @param names its own members
 */
export const ignoreOthers = <Schema extends z.ZodType>(object: Schema, names: readonly string[]) => {
  return z.preprocess((sent, context) => {
    const others = Object.keys(fieldsOf(sent)).filter((key) => !names.includes(key));
    const keys = others.filter((key) => findSimilarName(key, names));
    if (keys.length) context.addIssue({ code: 'unrecognized_keys', keys, input: fieldsOf(sent) });
    return sent;
  }, object);
};
