import { z } from 'zod';
import { isJsonObject } from './json-object.ts';

/**
 * An optional value that an empty one leaves unset: forms and programs that fill in every member send an
 * empty text or 0.
 * @param empty the value that stands for none
 */
export const unlessEmpty = <Schema extends z.ZodType>(schema: Schema, empty: '' | 0 = '') =>
  z.preprocess((sent) => (sent === empty ? undefined : sent), schema.optional()).optional();

/** A list for which some programs send an empty object if it has no entries. */
export const unlessEmptyObject = <Schema extends z.ZodType>(list: Schema) =>
  z.preprocess((sent) => (isJsonObject(sent) && !Object.keys(sent).length ? [] : sent), list);
