import { z } from 'zod';
import { unitOf } from './mistake.ts';
import type { Plain } from './request-schema.ts';

/** Words that other tools have for a number without a bound. */
const NO_LIMIT = /^(all|any|max|maximum|unlimited|infinit[ey]|inf|none|no[ _-]?limit|everything|∞|\*)$/i;
/** Options whose number is the most of something, and those that limit a time. */
const MOST = /^max[A-Z]|limit$/i;
const TIME = /^(timeout|ttl|activityTtl)$/;

/** Whether a text stands for a number without a bound. */
export const isNoLimit = (text: string): boolean => NO_LIMIT.test(text.trim());

/** The greatest number that a schema accepts; undefined if it has no bound. */
export function maximumOf(schema: z.core.$ZodType): number | undefined {
  const { maximum } = z.toJSONSchema(schema);
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

/**
 * Says how a number without a bound is asked for, where other tools have 0, -1 or a word for it.
 * @param name the option
 * @returns a clause without a full stop; undefined for other values and options
 */
export function adviseOnNoLimit(name: string, value: unknown, plain: Plain): string | undefined {
  const { schema, wrapped } = plain;
  const isMeant = value === 0 || value === -1 || (typeof value === 'string' && isNoLimit(value));
  // An age has a unit, and another value than the most when it is left out.
  const isMost = MOST.test(name) && !unitOf([plain]);
  if (!isMeant || !(isMost || TIME.test(name))) return undefined;
  const maximum = maximumOf(schema);
  if (maximum !== undefined) return `If you mean no limit, write ${maximum}, which is the most`;
  const unset = z.safeParse(wrapped, undefined);
  return unset.success && unset.data === undefined ? 'If you mean no limit, leave it out' : undefined;
}
