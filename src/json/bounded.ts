import { z } from 'zod';

/** The most that a list or record of a request may contain. */
interface Bounds {
  /** Number of elements or members. */
  entries: number;
  /** Characters of all names and texts in it together. */
  characters?: number;
}

/**
 * Bounds a list or record of a request. The bounds are checked before the elements, of which none is looked
 * at if there are too many: validating each, and describing what is wrong with it, would take far longer
 * than parsing them.
 * @example
 * const urls = bounded(z.array(z.string()), { entries: 50 });
 */
export const bounded = <Schema extends z.ZodArray | z.ZodRecord>(
  schema: Schema,
  { entries, characters = Number.POSITIVE_INFINITY }: Bounds,
) =>
  z
    .preprocess((value, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', message, input: value });
      if (typeof value !== 'object' || value === null) return value;
      const count = Array.isArray(value) ? value.length : Object.keys(value).length;
      if (count > entries) refuse(`must have at most ${entries} entries, but has ${count}`);
      else if (Number.isFinite(characters)) {
        const length = countCharacters(value);
        if (length > characters)
          refuse(`must have at most ${characters} characters in all, but has ${length}`);
      }
      return value;
    }, schema)
    .meta({
      override: ({ jsonSchema }) => {
        jsonSchema[schema instanceof z.ZodArray ? 'maxItems' : 'maxProperties'] = entries;
      },
    });

/** Counts the characters of all names and texts in a parsed JSON value. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value)].reduce((sum, each) => sum + countCharacters(each), 0);
}
