import type { z } from 'zod';
import { excerpt, quote } from '../../errors.ts';
import { pathText } from '../../json/path-text.ts';
import type { Plain } from './request-schema.ts';

/** A mistake in a request: what Zod found, with the path from the request and not from a part of it. */
export type Issue = z.core.$ZodIssue;

/** What a request is compared with. */
export interface Checked {
  schema: z.core.$ZodType;
  /** The request as it came. */
  request: unknown;
  part: 'body' | 'query' | 'path';
}

/** A mistake in one value of a request. */
export interface Mistake {
  /** The name of the place, for people. */
  where: string;
  path: readonly PropertyKey[];
  value: unknown;
  /** The schemas that the place has. */
  plains: readonly Plain[];
  checked: Checked;
}

/** The most characters of a value that a message repeats, and the most values that it names. */
const MAX_VALUE_CHARACTERS = 60;
const MAX_VALUES = 30;

/** The name of a part of a request, such as `actions[0].type`. */
export const nameOf = (path: readonly PropertyKey[], part: Checked['part']): string =>
  pathText(path) || `the ${part}`;

/** A value that is wrong, as messages repeat it: `not the string "5"`. */
export function insteadOf(value: unknown, part: Checked['part'] = 'body'): string {
  if (Array.isArray(value)) return part === 'query' ? 'not several values' : 'not a list';
  if (typeof value === 'object' && value !== null) return 'not an object';
  if (typeof value !== 'string') return `not ${String(value)}`;
  const text = quote(excerpt(value, MAX_VALUE_CHARACTERS));
  if (part !== 'body') return `not ${text}`;
  return value === '' ? 'not an empty string' : `not the string ${text}`;
}

/** Lists values that a place may have, as JSON. */
export function valueList(values: readonly unknown[]): string {
  const named = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const more = values.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

/** The unit of a number, which its description names. */
export const unitOf = (plains: readonly Plain[]): string | undefined =>
  /\b(ms|seconds|bytes)\b/.exec(plains.find((plain) => plain.description)?.description ?? '')?.[1];
