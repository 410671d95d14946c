import { z } from 'zod';
import { quote } from '../../errors.ts';
import { completeBound, describeBound } from './describe-bound.ts';
import { describeChoice, describeUnion } from './describe-choice.ts';
import { exampleBody, exampleFor, exampleOf, isShort, parseJsonText } from './examples.ts';
import { type Checked, type Issue, insteadOf, type Mistake, nameOf, unitOf, valueList } from './mistake.ts';
import { adviseOnNoLimit } from './no-limit.ts';
import { isOptionalAt, literalsOf, type Plain, schemasAt, typeOf, valueAt } from './request-schema.ts';
import { timesOf } from './rewrite-value.ts';
import { scheduleOf } from './schedule-words.ts';
import { periodOf } from './search-period.ts';
import { schemaIn } from './value-kinds.ts';
import { adviseOnType, synonymsOf, translate } from './value-names.ts';

/**
 * Says what is wrong with one value, where, and what it must be. Messages of the schemas stand as they are,
 * with the place and the unit if they lack it.
 * @returns a sentence, which may lack its full stop
 */
export function describeMistake(issue: Issue, checked: Checked): string {
  const where = nameOf(issue.path, checked.part);
  const value = valueAt(checked.request, issue.path);
  const plains = schemasAt(checked.schema, issue.path, checked.request);
  const mistake = { where, path: issue.path, value, plains, checked };
  if (issue.message && issue.code === 'invalid_union')
    return describeUnion(issue, mistake) ?? withPlace(issue.message, issue.path);
  if (issue.message && (issue.code === 'too_small' || issue.code === 'too_big'))
    return completeBound(withPlace(issue.message, issue.path), mistake);
  if (issue.message && issue.code === 'invalid_format')
    return `${withPlace(issue.message, issue.path)}${correct(issue.message, mistake)}`;
  if (issue.message)
    return (
      withPlace(issue.message, issue.path) + adviseOnSchema(issue.path, checked) + adviseOnSchedule(mistake)
    );
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? describeMissing(mistake) : describeType(mistake);
    case 'invalid_value':
      return describeChoice(issue.path, issue.values, checked);
    case 'invalid_union':
      return describeUnion(issue, mistake) ?? describeType(mistake);
    case 'too_small':
    case 'too_big':
      return describeBound(issue, mistake);
    case 'not_multiple_of':
      return `${where} must be a multiple of ${issue.divisor}, ${insteadOf(value)}`;
    case 'invalid_format':
      return `${where} must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}${correct('', mistake)}`;
    default:
      return `${where} is not valid`;
  }
}

/** Adds the place to a message, or completes the one that it begins with. */
function withPlace(message: string, path: readonly PropertyKey[]): string {
  if (!path.length) return message;
  const where = nameOf(path, 'body');
  if (message.includes(where)) return message;
  const last = String(path.at(-1));
  if (message.startsWith(`${last} `)) return where + message.slice(last.length);
  return `${where}${message.startsWith('must ') ? '' : ':'} ${message}`;
}

/** Repeats the JSON Schema itself where a `schema` has it in another object, as OpenAI does. */
function adviseOnSchema(path: Issue['path'], { request }: Checked): string {
  const index = path.lastIndexOf('schema');
  const sent = index < 0 ? undefined : valueAt(request, path.slice(0, index + 1));
  const inner = schemaIn(sent);
  return inner === undefined || inner === sent || !isShort(inner) ? '' : `. Write ${JSON.stringify(inner)}`;
}

/** Says how a schedule is written that is a duration, or a macro of cron. */
function adviseOnSchedule({ path, value }: Mistake): string {
  if (!path.includes('schedule') || !/^(cron|text)$/.test(String(path.at(-1)))) return '';
  const [meant] = Object.entries(scheduleOf(value) ?? {});
  return !meant || meant[1] === value ? '' : `. Use ${meant[0]}: ${JSON.stringify(meant[1])}`;
}

/** Repeats a text of the wrong form after the message of a schema, with what it may be meant to be. */
function correct(message: string, { value, plains: [plain], where, checked }: Mistake): string {
  if (typeof value !== 'string' || !plain) return '';
  const bare = value.trim().replace(/^["']|["']$/g, '');
  const name = where.replace(/.*\./, '');
  const candidates = [
    bare.replace('_', '-'),
    bare.toLowerCase(),
    bare.toUpperCase(),
    translate(name, value),
    ...(name === 'tbs' ? [periodOf(bare)] : []),
    ...timesOf(bare),
    ...synonymsOf(bare.replace(/^.*\./, '')),
  ];
  const isOther = (each: unknown) => each !== undefined && each !== value;
  const meant = candidates.find((each) => isOther(each) && z.safeParse(plain.wrapped, each).success);
  const advice = meant === undefined ? '' : `. Write ${JSON.stringify(meant)}`;
  if (message.includes(JSON.stringify(value))) return advice;
  return `, ${insteadOf(value, checked.part)}${advice}`;
}

/** Says that a value is missing, what it means, and how the object with it looks. */
function describeMissing({ where, path, plains, checked }: Mistake): string {
  const key = path.at(-1);
  const [plain] = plains;
  if (!plain || typeof key !== 'string') return `${where} is missing`;
  const above = path.slice(0, -1);
  const sent = valueAt(checked.request, above);
  const parents = schemasAt(checked.schema, above, checked.request);
  const type = typeOf(sent);
  const meaning = plain.description ? ` (${plain.description})` : '';
  if (path.length > 1 && typeof type === 'string' && parents.length === 1) {
    const example = { type, ...exampleBody(parents[0]!.schema) };
    return `${where} is missing${meaning}: ${quote(type)} needs it. Write ${JSON.stringify(example)}`;
  }
  const example = JSON.stringify({ [key]: exampleOf(key, plain.schema) });
  return `${where} is missing${meaning}. It must be ${expectedOf(plain, checked.part)}, such as ${example}`;
}

function describeType({ where, path, value, plains, checked }: Mistake): string {
  const expected = [...new Set(plains.map((plain) => expectedOf(plain, checked.part)))].join(', or ');
  const unit = unitOf(plains);
  const isJsonText = parseJsonText(value) !== undefined && !expected.includes('string');
  const instead = isJsonText ? 'not a string with JSON in it' : insteadOf(value, checked.part);
  const isLimit = plains.some(({ description = '' }) => description.includes('null: no limit'));
  const orNull = isLimit ? ', or null for no limit' : '';
  const fault = `${where} must be ${expected}${unit ? ` (in ${unit})` : ''}${orNull}, ${instead}`;
  if (checked.part !== 'body') return fault;
  const name = String(path.findLast((key) => typeof key === 'string') ?? '');
  const isEntry = typeof path.at(-1) === 'number';
  const example = exampleFor(plains, value, { name, unit, isEntry });
  const leaveOut =
    value === null && isOptionalAt(checked.schema, path, checked.request) ? 'Leave it out' : '';
  const several = Array.isArray(value) && value.length > 1 ? adviseOnType(name, value) : undefined;
  const write = several
    ? several
    : example
      ? `${leaveOut ? 'or write' : 'Write'} ${example}`
      : (adviseOnType(name, value) ??
        adviseOnSwitch(plains, value) ??
        (plains[0] && adviseOnNoLimit(name, value, plains[0])));
  return [fault, [leaveOut, write].filter(Boolean).join(', ')].filter(Boolean).join('. ');
}

/** Says that a switch is on for a value that says how, such as `mobile: "iPhone 13"`. */
function adviseOnSwitch(plains: readonly Plain[], value: unknown): string | undefined {
  const isSwitch = plains.length === 1 && plains[0]?.schema._zod.def.type === 'boolean';
  const isNaming =
    typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && value !== null;
  return isSwitch && isNaming ? 'It is a switch: write true' : undefined;
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
