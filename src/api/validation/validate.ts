import type { z } from 'zod';
import { excerpt, isErrorCode, ServiceError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { resolveUnions } from './describe-choice.ts';
import { describeKeys, tellUnknownKeys } from './describe-keys.ts';
import { describeMistake } from './describe-mistake.ts';
import { exampleBody, parseJsonText } from './examples.ts';
import { findBehind, findHidden, type HiddenMistakes } from './hidden-mistakes.ts';
import type { Checked, Issue } from './mistake.ts';
import { requiredKeys, schemasAt, shapeOf, unwrap, valueAt } from './request-schema.ts';
import { adviseOnKey } from './unknown-keys.ts';

/** The most entries of `details`, and of the keys in one of them. */
const MAX_LISTED = 20;
/** The most mistakes that `error` tells. */
const MAX_TOLD = 5;
/** The most characters of a message, our own text and the input that it repeats together. */
const MAX_ISSUE_CHARACTERS = 500;

/** A reason why a request was refused, as `details` lists it. */
interface Detail {
  code: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
}

/**
 * Lists the reasons why a request was refused.
 * @returns the first ones; if there are more than {@link MAX_LISTED}, the last entry says how many
 */
export function listDetails<Reason>(reasons: Reason[], describe: (reason: Reason) => Detail): Detail[] {
  if (reasons.length <= MAX_LISTED) return reasons.map(describe);
  const listed = reasons.slice(0, MAX_LISTED - 1).map(describe);
  const message = `${reasons.length - listed.length} more are not listed.`;
  return [...listed, { code: 'custom', path: [], message }];
}

/**
 * Checks a part of a request.
 * @param prefix begins the message of the error, in place of `Bad Request: `
 * @returns it as the schema converts it
 * @throws ServiceError `BAD_REQUEST`, or the code that all rules that it breaks have. Its message tells up to
 *   five mistakes, each with its place and what to do; its details list them for programs.
 */
export function validate<Output>(
  schema: z.ZodType<Output>,
  request: unknown,
  part: Checked['part'],
  prefix?: string,
): Output {
  // An empty message stands for the texts of Zod, which people do not see.
  const parsed = schema.safeParse(request, { error: () => '' });
  if (parsed.success) return parsed.data;
  throw createValidationError(parsed.error.issues, { schema, request, part }, prefix);
}

function createValidationError(
  issues: readonly Issue[],
  checked: Checked,
  prefix: string | undefined,
): ServiceError {
  // A rule may name its own error code, which is used only if every issue has the same code.
  const codes = new Set(issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : undefined)));
  const [code] = codes.size === 1 ? codes : [];
  const found = resolveUnions(issues, checked);
  const behind = findBehind(found, checked);
  const mistakes = [...found, ...behind];
  const hidden = findHidden(mistakes, checked);
  const text = tell(found, checked, behind) + (hidden ? tellHidden(hidden) : '');
  const all = [
    ...mistakes.map((issue) => ({ issue, checked })),
    ...(hidden?.issues ?? []).map((issue) => ({ issue, checked: hidden?.checked ?? checked })),
  ];
  return new ServiceError(isErrorCode(code) ? code : 'BAD_REQUEST', withPrefix(text, prefix), {
    details: listDetails(all, (each) => toDetail(each.issue, each.checked)),
  });
}

const withPrefix = (text: string, prefix: string | undefined) =>
  prefix === undefined ? text : prefix + text.replace(/^Bad Request: /, '');

function toDetail(issue: Issue, checked: Checked): Detail {
  const message =
    issue.code === 'unrecognized_keys' ? describeKeys(issue, checked).text : describeMistake(issue, checked);
  return {
    code: issue.code,
    path: issue.path.map((part) => (typeof part === 'string' ? excerpt(part) : part)),
    message: excerpt(message, MAX_ISSUE_CHARACTERS),
    ...(issue.code === 'unrecognized_keys' && {
      keys: issue.keys.slice(0, MAX_LISTED).map((key) => excerpt(key)),
    }),
  };
}

/**
 * Tells the mistakes of a request, unknown keys first and then those that a rule of a schema words.
 * @param behind mistakes that the schema has not told, because of the others
 */
function tell(issues: readonly Issue[], checked: Checked, behind: readonly Issue[] = []): string {
  if (issues.some(({ path, code }) => !path.length && code === 'invalid_type')) return tellWholeBody(checked);
  const { texts: advice, others: left } = tellUnknownKeys(issues, checked);
  // The advice has named the option that a wrong name is in place of. Within a list, the whole object helps more.
  const isTold = (issue: Issue) =>
    issue.path.length === 1 && isMissing(issue, checked) && isNamed(issue, advice);
  const known = [...left.filter((issue) => !isTold(issue)), ...behind];
  const worded = known.filter(({ message }) => message);
  const others = known.filter(({ message }) => !message);
  const sentences = [
    ...advice,
    ...[...worded, ...others].map(
      (issue) => describeMistake(issue, checked) + (advice.length ? '' : adviseOnSiblings(issue, checked)),
    ),
  ];
  const told = sentences.slice(0, MAX_TOLD);
  const more = sentences.length - told.length;
  const all = more ? [...told, `${more} more mistakes are in details`] : told;
  const text = all.length > 1 ? all.map(withFullStop).join(' ') : all.join('');
  return advice.length || worded.length ? text : `Bad Request: ${withFullStop(text)}`;
}

const isMissing = ({ code, path }: Issue, { request }: Checked) =>
  code === 'invalid_type' && path.length > 0 && valueAt(request, path) === undefined;

/** Whether advice is to write the option that is missing. */
const isNamed = ({ path }: Issue, advice: readonly string[]) =>
  advice.some((text) => [...text.matchAll(/\b(?:Use|mean) (\w+)/g)].some(([, name]) => name === path.at(-1)));

/**
 * Says which members are in place of a missing one, where others are accepted and therefore no mistakes by
 * themselves, as in the arguments of tools.
 * @returns sentences that begin with a blank
 */
function adviseOnSiblings(issue: Issue, checked: Checked): string {
  const path = issue.path.slice(0, -1);
  const sent = valueAt(checked.request, path);
  if (!isMissing(issue, checked) || !isJsonObject(sent)) return '';
  const place = { ...checked, path };
  const shape = shapeOf(schemasAt(checked.schema, path, checked.request));
  return Object.keys(sent)
    .filter((key) => !Object.hasOwn(shape, key))
    .slice(0, MAX_TOLD)
    .map((key) => ({ key, text: adviseOnKey(key, place) }))
    .filter(({ text }) => isNamed(issue, [text]))
    .map(({ key, text }) => `. In place of ${excerpt(key)}: ${text}`)
    .join('');
}

const tellHidden = ({ issues, checked }: HiddenMistakes) =>
  ` After that: ${tell(issues, checked).replace(/^Bad Request: /, '')}`;

const withFullStop = (sentence: string) => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`);

/** Says what a body must be that is no object, or not there. */
function tellWholeBody({ schema, request, part }: Checked): string {
  const example = JSON.stringify(exampleBody(schema));
  if (isJsonObject(parseJsonText(request)))
    return `Bad Request: the ${part} is a string with JSON in it. It was encoded twice: send the object itself, such as ${example}.`;
  const missing = request === undefined || request === null;
  const what = missing ? 'is missing' : `is ${Array.isArray(request) ? 'a list' : `a ${typeof request}`}`;
  const keys = requiredKeys(shapeOf(unwrap(schema)));
  const required = keys.length ? ` with ${keys.join(' and ')}` : '';
  return `Bad Request: the ${part} ${what}. Send a JSON object${required}, such as ${example}.`;
}
