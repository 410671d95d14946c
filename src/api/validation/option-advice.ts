import { z } from 'zod';
import { exampleFor } from './examples.ts';
import { unitOf } from './mistake.ts';
import { wordsOf } from './option-words.ts';
import { literalsOf, type shapeOf, unwrap } from './request-schema.ts';
import { adviseOnValue } from './value-names.ts';

/** An option that a request has by a wrong name. */
export interface Misnamed {
  key: string;
  value: unknown;
  /** The options of the place. */
  shape: ReturnType<typeof shapeOf>;
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

/** Says which option is meant, with the value as it is written there, unless that is the one that was sent. */
export function useOption(name: string, form: string | undefined, misnamed: Misnamed): string {
  const example = exampleOfOption(name, misnamed);
  const schema = misnamed.shape[name];
  const unit = schema && unitOf(unwrap(schema));
  const clause = form ?? (unit && `in ${unit}`);
  return `Use ${name}${clause ? `, ${clause}` : ''}${example && `: ${example}`}.`;
}

/** Asks whether an option is meant, as {@link useOption} says it. */
export function suggestOption(name: string, misnamed: Misnamed): string {
  const example = exampleOfOption(name, misnamed);
  if (example) return `Did you mean ${name}? Write ${JSON.stringify(name)}: ${example}.`;
  const { value, shape } = misnamed;
  const schema = shape[name];
  const isFit = !schema || value === undefined || z.safeParse(schema, value).success;
  const description = isFit ? undefined : unwrap(schema)[0]?.description;
  return `Did you mean ${name}?${description ? ` It is: ${description}.` : ''}`;
}

/** Whether a value can be one of an option, as it is or in another form. */
export const mayBe = (name: string, { value, shape }: Misnamed): boolean =>
  value === undefined ||
  (shape[name] !== undefined && z.safeParse(shape[name], value).success) ||
  exampleOfOption(name, { key: name, value, shape }) !== '';

function exampleOfOption(name: string, { key, value, shape }: Misnamed): string {
  const schema = shape[name];
  if (!schema || value === undefined) return '';
  const plains = unwrap(schema);
  const choices = literalsOf(schema);
  const meant = choices.find(
    (each) => adviseOnValue(name, value, choices) === `Write ${JSON.stringify(each)}`,
  );
  if (meant !== undefined && !z.safeParse(schema, value).success) return JSON.stringify(meant);
  const unit = name === 'milliseconds' ? 'ms' : unitOf(plains);
  const converted = inUnit(key, value, unit);
  if (z.safeParse(schema, converted).success) return converted === value ? '' : JSON.stringify(converted);
  const example = exampleFor(plains, converted, { name, unit, isEntry: false });
  // An object without members, in which the value is not, helps nobody.
  return example === '{}' || example === '[]' ? '' : example;
}

/** A number whose unit the name of its option tells, in the unit of another option. */
function inUnit(key: string, value: unknown, unit: string | undefined): unknown {
  if (typeof value !== 'number' || (unit !== 'ms' && unit !== 'seconds')) return value;
  const words = wordsOf(key);
  const [, ms = undefined] = UNITS_MS.find(([name]) => words.has(name)) ?? [];
  if (ms === undefined) return value;
  return unit === 'ms' ? value * ms : (value * ms) / 1000;
}
