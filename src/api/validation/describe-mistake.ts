import { z } from 'zod';
import { excerpt, quote } from '../../errors.ts';
import { pathText } from '../../json/path-text.ts';
import { exampleBody, exampleFor, exampleOf } from './examples.ts';
import { literalsOf, type Plain, schemasAt, typeOf, valueAt } from './request-schema.ts';
import { findSimilarName } from './similar-name.ts';

/** A mistake in a request: what Zod found, with the path from the request and not from a part of it. */
export type Issue = z.core.$ZodIssue;

/** What a request is compared with. */
export interface Checked {
  schema: z.core.$ZodType;
  /** The request as it came. */
  request: unknown;
  part: 'body' | 'query' | 'path';
}

/** The most characters of a value that a message repeats, and the most values that it names. */
const MAX_VALUE_CHARACTERS = 60;
const MAX_VALUES = 30;

/**
 * Says what is wrong with one value, where, and what it must be. Messages of the schemas stand as they are.
 * @returns a sentence, which may lack its full stop
 */
export function describeMistake(issue: Issue, checked: Checked): string {
  if (issue.message) return withPlace(issue.message, issue.path);
  const where = nameOf(issue.path, checked.part);
  const value = valueAt(checked.request, issue.path);
  const plains = schemasAt(checked.schema, issue.path, checked.request);
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? describeMissing(issue.path, plains, checked)
        : describeType({ where, value, plains, checked });
    case 'invalid_value':
      return describeChoice(issue.path, issue.values, checked);
    case 'invalid_union':
      return describeUnion(issue, { where, value, plains, checked });
    case 'too_small':
    case 'too_big':
      return `${where} must ${boundOf(issue)}, ${insteadOf(value)}`;
    case 'not_multiple_of':
      return `${where} must be a multiple of ${issue.divisor}, ${insteadOf(value)}`;
    case 'invalid_format':
      return `${where} must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}, ${insteadOf(value)}`;
    default:
      return `${where} is not valid`;
  }
}

/** Adds the place to a message that does not name it. */
function withPlace(message: string, path: readonly PropertyKey[]): string {
  const last = path.findLast((key) => typeof key === 'string');
  if (!path.length || (last && message.includes(last))) return message;
  return `${nameOf(path, 'body')}${message.startsWith('must ') ? '' : ':'} ${message}`;
}

/** The name of a part of a request, such as `actions[0].type`. */
export const nameOf = (path: readonly PropertyKey[], part: Checked['part']): string =>
  pathText(path) || `the ${part}`;

interface Mistake {
  where: string;
  value: unknown;
  plains: readonly Plain[];
  checked: Checked;
}

/** Says that a value is missing, what it means, and how the object with it looks. */
function describeMissing(path: Issue['path'], plains: readonly Plain[], checked: Checked): string {
  const where = nameOf(path, checked.part);
  const key = path.at(-1);
  const [plain] = plains;
  if (!plain || typeof key !== 'string') return `${where} is missing`;
  const above = path.slice(0, -1);
  const parents = schemasAt(checked.schema, above, checked.request);
  const type = typeOf(valueAt(checked.request, above));
  const meaning = plain.description ? ` (${plain.description})` : '';
  if (path.length > 1 && typeof type === 'string' && parents.length === 1) {
    const example = { type, ...exampleBody(parents[0]!.schema) };
    return `${where} is missing${meaning}: ${quote(type)} needs it. Write ${JSON.stringify(example)}`;
  }
  const example = JSON.stringify({ [key]: exampleOf(key, plain.schema) });
  return `${where} is missing${meaning}. It must be ${expectedOf(plain, checked.part)}, such as ${example}`;
}

function describeType({ where, value, plains, checked }: Mistake): string {
  const expected = [...new Set(plains.map((plain) => expectedOf(plain, checked.part)))].join(', or ');
  const example = exampleFor(plains, value);
  const description = plains.find((plain) => plain.description)?.description;
  const unit = /\b(ms|seconds|bytes)\b/.exec(description ?? '')?.[1];
  const fault = `${where} must be ${expected}${unit ? ` (in ${unit})` : ''}, ${insteadOf(value, checked.part)}`;
  return example && checked.part === 'body' ? `${fault}. Write ${example}` : fault;
}

/** What a value of a schema is, for people. */
function expectedOf({ schema }: Plain, part: Checked['part']): string {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
      return 'a string';
    case 'number': {
      const { type, minimum, maximum } = z.toJSONSchema(schema);
      const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
      const range = isBounded ? ` from ${minimum ?? 0} to ${maximum}` : '';
      return `${part === 'query' ? 'one' : 'a'} ${type === 'integer' ? 'whole number' : 'number'}${range}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object';
    case 'enum':
    case 'literal':
      return `one of ${valueList(literalsOf(schema))}`;
    default:
      return `a ${def.type}`;
  }
}

/** A value that is wrong, as messages repeat it. */
function insteadOf(value: unknown, part: Checked['part'] = 'body'): string {
  if (Array.isArray(value)) return part === 'query' ? 'not several values' : 'not a list';
  if (typeof value === 'object' && value !== null) return 'not an object';
  if (typeof value !== 'string') return `not ${String(value)}`;
  const text = quote(excerpt(value, MAX_VALUE_CHARACTERS));
  if (part !== 'body') return `not ${text}`;
  return value === '' ? 'not an empty string' : `not the string ${text}`;
}

const valueList = (values: readonly unknown[]) => {
  const named = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const more = values.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
};

function describeChoice(path: Issue['path'], values: readonly unknown[], { part, request }: Checked): string {
  const parent = valueAt(request, path.slice(0, -1));
  // A text is short for an object of that type, so it is what has the wrong type.
  const isShort = typeof parent === 'string' && path.at(-1) === 'type';
  const where = nameOf(isShort ? path.slice(0, -1) : path, part);
  const value = isShort ? parent : valueAt(request, path);
  if (value === undefined) return `${where} is missing. It must be ${oneOf(values)}`;
  const names = values.filter((each) => typeof each === 'string');
  const similar = typeof value === 'string' ? findSimilarName(value, names) : undefined;
  const advice = similar ? `. Did you mean ${quote(similar)}?` : '';
  return `${where} must be ${oneOf(values)}, ${insteadOf(value, part)}${advice}`;
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${valueList(values)}`;

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, mistake: Mistake): string {
  const { where, value, checked } = mistake;
  const key = 'discriminator' in issue ? issue.discriminator : undefined;
  if (key === undefined) return describeType(mistake);
  // The path of the issue ends with the discriminator, or with the object that has it.
  const above = issue.path.at(-1) === key ? issue.path.slice(0, -1) : issue.path;
  const objects = schemasAt(checked.schema, above, checked.request);
  const values = objects.flatMap(({ schema: { _zod } }) =>
    _zod.def.type === 'object' && _zod.def.shape[key] ? literalsOf(_zod.def.shape[key]) : [],
  );
  if (!values.length) return `${where} is of no known ${key}, ${insteadOf(value)}`;
  return describeChoice([...above, key], values, checked);
}

/** The bound that a value exceeds, as what it must do. */
function boundOf(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const isSmall = issue.code === 'too_small';
  const bound = isSmall ? issue.minimum : issue.maximum;
  const strictly = issue.inclusive === false ? (isSmall ? 'more than' : 'less than') : undefined;
  const limit = `${strictly ?? (isSmall ? 'at least' : 'at most')} ${bound}`;
  switch (issue.origin) {
    case 'string':
      return bound === 1 && isSmall ? 'not be empty' : `have ${limit} characters`;
    case 'array':
    case 'set':
      return bound === 1 && isSmall ? 'have at least one entry' : `have ${limit} entries`;
    case 'object':
    case 'record':
      return `have ${limit} members`;
    default:
      return `be ${limit}`;
  }
}

/** The forms of strings, by the names that Zod has for them. */
const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  url: 'a URL',
  email: 'an e-mail address',
  datetime: 'a time in ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  base64: 'in Base64',
  regex: 'in another form',
};

/**
 * Replaces mistakes of unions by those of the member that fits best: the one of the same `type`, else the
 * one that got farthest.
 */
export function resolveUnions(issues: readonly Issue[], checked: Checked): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || issue.message || !issue.errors.length) return [issue];
    const members = issue.errors.map((errors) =>
      resolveUnions(
        errors.map((error) => ({ ...error, path: [...issue.path, ...error.path] })),
        checked,
      ),
    );
    const inside = members.filter((errors) =>
      errors.every(({ path, code }) => path.length > issue.path.length || code === 'unrecognized_keys'),
    );
    const fits = inside.filter((errors) => !errors.some(({ path }) => path.at(-1) === 'type'));
    const best = (fits.length ? fits : inside).sort((a, b) => a.length - b.length)[0];
    if (best) return best;
    const choices = members.flat();
    const values = choices.flatMap((each) => (each.code === 'invalid_value' ? each.values : []));
    const isChoice = typeof valueAt(checked.request, issue.path) === 'string' && values.length > 0;
    return isChoice ? [{ ...issue, code: 'invalid_value', values, message: '' } as Issue] : [issue];
  });
}
