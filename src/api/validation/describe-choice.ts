import { z } from 'zod';
import { quote } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { findSimilarName } from '../../json/similar-name.ts';
import { exampleOf, isShort } from './examples.ts';
import { type Checked, type Issue, insteadOf, type Mistake, nameOf, valueList } from './mistake.ts';
import { onlyNameIn, singularOf } from './option-words.ts';
import { isOptionalAt, literalsOf, type Plain, schemasAt, valueAt } from './request-schema.ts';
import { suggestTyped, typeNamesIn } from './typed-object.ts';
import { adviseOnKey } from './unknown-keys.ts';
import { adviseOnValue, meantValue } from './value-names.ts';
import { substituteFor } from './value-substitutes.ts';

/** A list with more values than this comes after what may be meant. */
const MAX_SHORT_LIST = 12;

/** Says which values a place may have, and which one is meant. */
export function describeChoice(
  path: Issue['path'],
  values: readonly unknown[],
  { part, request, schema }: Checked,
): string {
  const parent = valueAt(request, path.slice(0, -1));
  // A text is short for an object of that type, so it is what has the wrong type.
  const isShorthand = typeof parent === 'string' && path.at(-1) === 'type';
  const place = isShorthand ? path.slice(0, -1) : path;
  const where = nameOf(place, part);
  const value = isShorthand ? parent : valueAt(request, path);
  if (value === undefined) return `${where} is missing. It must be ${oneOf(values)}`;
  const leaveOut = value === null && isOptionalAt(schema, path, request) ? '. Leave it out' : '';
  const advice =
    leaveOut ||
    (isShorthand && adviseOnPair(value, schemasAt(schema, place, request))) ||
    adviseOn(path, value, { values, request, schema, part });
  if (values.length <= MAX_SHORT_LIST)
    return `${where} must be ${oneOf(values)}, ${insteadOf(value, part)}${advice}`;
  // Messages about formats have begun like this since the first version of the API.
  const noun = path[path.length - 3] === 'formats' || path[0] === 'formats' ? 'format' : String(path.at(-1));
  const shown = isShort(value) ? JSON.stringify(value) : insteadOf(value, part);
  const known = values.filter((each) => typeof each === 'string').join(', ');
  return `${nameOf(path, part)}: unknown ${noun} ${shown}${advice}${advice.endsWith('?') ? '' : '.'} Known are ${known}`;
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${valueList(values)}`;

/** What is written instead of a value: its name here, or the one that is spelled like it. */
function adviseOn(
  path: Issue['path'],
  value: unknown,
  { values, ...checked }: Checked & { values: readonly unknown[] },
): string {
  const [sent] = Array.isArray(value) && value.length === 1 ? value : [value];
  const names = values.filter((each) => typeof each === 'string');
  const option = path.findLast((key) => typeof key === 'string' && key !== 'type');
  const entry = valueAt(checked.request, path.slice(0, -1));
  const known = adviseOnValue(String(option), sent, values, entry) ?? adviseOnSeveral(path, sent, values);
  if (known) return `. ${known}`;
  const similar =
    typeof sent === 'string'
      ? (findSimilarName(sent, names) ?? findSimilarName(singularOf(sent), names))
      : undefined;
  const contained = typeof sent === 'string' ? onlyNameIn(sent, names) : undefined;
  if (similar === undefined && contained === undefined) return adviseOnOtherAction(path, sent, checked);
  if (similar === undefined) return `. Write ${quote(String(contained))}`;
  return similar === sent ? `. Write ${quote(similar)}` : `. Did you mean ${quote(similar)}?`;
}

/** Says how an object is written that stands in one text, such as `json: the price`. */
function adviseOnPair(value: unknown, plains: readonly Plain[]): string {
  const [, type, rest] = /^(\w+)\s*[:=]\s*(\S.*)$/s.exec(typeof value === 'string' ? value : '') ?? [];
  const [object] = type && rest ? suggestTyped(plains, { [type]: rest }) : [];
  return object && plains.some(({ schema }) => z.safeParse(schema, object).success)
    ? `. Write ${JSON.stringify(object)}`
    : '';
}

/** Says what does what another tool has an action for: an option beside the actions, or a script. */
function adviseOnOtherAction(path: Issue['path'], sent: unknown, checked: Checked): string {
  const index = path.lastIndexOf('actions');
  if (index < 0 || typeof sent !== 'string' || typeof path[index + 1] !== 'number') return '';
  const action = valueAt(checked.request, path.slice(0, index + 2));
  const rest = Object.entries(isJsonObject(action) ? action : {}).filter(([name]) => name !== 'type');
  // The only member is the value of what the name sets, as in `{"type": "setUserAgent", "value": "…"}`.
  const value = rest.length === 1 ? rest[0]?.[1] : Object.fromEntries(rest);
  const key = sent.replace(/^(set|emulate|add|enable|configure)_?(?=[A-Z_])/, '');
  const advice = adviseOnKey(key, { ...checked, path: path.slice(0, index) }, value);
  if (/^(Use|Did you mean) /.test(advice))
    return `. It is no action, but an option beside actions. ${advice}`;
  return `. For what has no action of its own, use {"type":"executeJavascript","script":"document.title"} with your script`;
}

/** Says how several values are written that stand in one text, with commas between them. */
function adviseOnSeveral(path: Issue['path'], sent: unknown, values: readonly unknown[]): string | undefined {
  const parts = typeof sent === 'string' && isShort(sent) ? sent.split(/\s*[,;|]\s*/).filter(Boolean) : [];
  if (parts.length < 2) return undefined;
  const option = String(path.findLast((key) => typeof key === 'string'));
  const meant = parts.map((part) =>
    values.includes(part)
      ? part
      : (meantValue(option, part, values) ?? findSimilarName(part, values.map(String))),
  );
  if (meant.includes(undefined)) return undefined;
  const isEntry = typeof path.at(path.at(-1) === 'type' ? -2 : -1) === 'number';
  return isEntry
    ? `Write entries of their own: ${valueList(meant)}`
    : `It is one value, such as ${quote(String(meant[0]))}`;
}

/** Says which object of a union is meant, or that the value is of none of them. */
export function describeUnion(issue: z.core.$ZodIssueInvalidUnion, mistake: Mistake): string | undefined {
  const { where, value, checked } = mistake;
  const key = 'discriminator' in issue ? issue.discriminator : undefined;
  if (key === undefined) return undefined;
  // The path of the issue ends with the discriminator, or with the object that has it.
  const above = issue.path.at(-1) === key ? issue.path.slice(0, -1) : issue.path;
  const objects = schemasAt(checked.schema, above, checked.request);
  const values = typesOf(objects, key);
  if (!values.length) return `${where} is of no known ${key}, ${insteadOf(value)}`;
  const sent = valueAt(checked.request, above);
  if (valueAt(sent, [key]) !== undefined || typeof sent === 'string')
    return describeChoice([...above, key], values, checked);
  return describeMissingType([...above, key], { objects, sent, values, checked });
}

const typesOf = (objects: readonly Plain[], key: string) =>
  objects.flatMap(({ schema: { _zod } }) =>
    _zod.def.type === 'object' && _zod.def.shape[key] ? literalsOf(_zod.def.shape[key]) : [],
  );

function describeMissingType(
  path: Issue['path'],
  union: { objects: readonly Plain[]; sent: unknown; values: readonly unknown[]; checked: Checked },
): string {
  const { objects, sent, values, checked } = union;
  const fault = `${nameOf(path, checked.part)} is missing`;
  const suggested = suggestTyped(objects, sent).map((each) => JSON.stringify(each));
  const option = String(path.findLast((key) => typeof key === 'string' && key !== 'type'));
  const substitute = suggested.length
    ? undefined
    : typeNamesIn(sent).map((name) => substituteFor(option, name))[0];
  if (substitute) return `${fault}, and there is none of that kind. ${substitute}`;
  const choice =
    values.length > MAX_SHORT_LIST ? `Known are ${values.join(', ')}` : `It must be ${oneOf(values)}`;
  return suggested.length
    ? `${fault}. Write ${suggested.join(' or ')}. ${choice}`
    : `${fault}. ${choice}, such as ${JSON.stringify(exampleOf(String(path[0]), objects[0]!.schema))}`;
}

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
