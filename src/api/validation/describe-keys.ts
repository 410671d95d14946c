import { z } from 'zod';
import { excerpt } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { resolveUnions } from './describe-choice.ts';
import { isShort } from './examples.ts';
import { isMerged, optionIn } from './merged-advice.ts';
import { type Checked, type Issue, nameOf } from './mistake.ts';
import { meantValueOf } from './option-advice.ts';
import { isUnder, replaceAt, schemasAt, shapeOf, typeOf, valueAt } from './request-schema.ts';
import { adviseOnKey, listOptions, NO_SUCH_OPTION } from './unknown-keys.ts';

/** The most keys that a message names, and the most that have advice. */
const MAX_LISTED = 20;
const MAX_ADVISED = 5;

/** How advice begins that the members of an object are options of the place itself. */
const LIFTED = /^(Leave it out\. )?Write its members? /;

/** What is told of the unknown keys of an object. */
interface DescribedKeys {
  text: string;
  path: Issue['path'];
  /** The object as it is after the advice. */
  mended: unknown;
}

/** Says which keys of an object are unknown, and what to do in place of each. */
export function describeKeys(issue: z.core.$ZodIssueUnrecognizedKeys, checked: Checked): DescribedKeys {
  const { schema, request, part } = checked;
  const keys = issue.keys.slice(0, MAX_LISTED);
  const place = { part, schema, request, path: issue.path };
  const { advice, mended } = adviseOnKeys(keys.slice(0, MAX_ADVISED), place);
  const where = issue.path.length ? ` (in ${nameOf(issue.path, part)})` : '';
  const texts = [...new Set(advice.map(({ text }) => text))];
  const told = texts.map((text) =>
    texts.length === 1
      ? text
      : `${advice
          .filter((each) => each.text === text)
          .map(({ key }) => excerpt(key))
          .join(', ')}: ${text}`,
  );
  const options = texts.some((text) => text.startsWith(NO_SUCH_OPTION)) ? listOptions(place) : '';
  return {
    text: `Unrecognized key in ${part} -- ${excerpt(keys.join(', '))}${where}. ${told.join(' ')}${options}`,
    path: issue.path,
    mended,
  };
}

/**
 * Advises on each key of an object as if the advice on those before it had been followed, so that the advice on the
 * last of several formats names all of them, and stands for all of them.
 */
function adviseOnKeys(keys: readonly string[], place: Checked & { path: Issue['path'] }) {
  const sent = valueAt(place.request, place.path);
  const shape = shapeOf(schemasAt(place.schema, place.path, place.request));
  const known = Object.entries(isJsonObject(sent) ? sent : {}).filter(([name]) => Object.hasOwn(shape, name));
  let mended: Record<string, unknown> = Object.fromEntries(known);
  let advice: { key: string; text: string }[] = [];
  for (const key of keys) {
    const before = mended;
    const unknown = valueAt(sent, [key]);
    // Advice is added to a list or object that was sent in another form as if it had the right one.
    const inForm = Object.entries(before).map(([name, value]) => {
      const misnamed = { key: name, value, shape, part: place.part };
      const meant = isMerged(name) ? meantValueOf(name, misnamed) : undefined;
      return [name, meant !== undefined && Array.isArray(meant) !== Array.isArray(value) ? meant : value];
    });
    const request = replaceAt(place.request, place.path, Object.fromEntries(inForm));
    const text = adviseOnKey(key, { ...place, request }, unknown);
    const option = optionIn(text);
    if (LIFTED.test(text) && isJsonObject(unknown)) {
      const members = Object.entries(unknown).filter(
        ([name]) => Object.hasOwn(shape, name) && !Object.hasOwn(before, name),
      );
      mended = { ...before, ...Object.fromEntries(members) };
    } else if (option && Object.hasOwn(shape, option.name)) {
      const value = option.value ?? unknown;
      // Of what the request has already, only lists and objects are completed.
      const isCompleted = Object.hasOwn(before, option.name) ? isMerged(option.name) : true;
      if (isCompleted) mended = { ...before, [option.name]: value };
      const isWhole = /^\.?$/.test(option.after) && Array.isArray(option.value);
      if (isWhole) advice = advice.map((each) => (isContained(each.text, option) ? { ...each, text } : each));
    }
    advice.push({ key, text });
  }
  return { advice, mended };
}

/** Whether advice is to use an option with a part of a longer list. */
function isContained(text: string, { name, value }: { name: string; value: unknown }): boolean {
  const option = optionIn(text);
  if (option?.name !== name || !/^\.?$/.test(option.after)) return false;
  if (!Array.isArray(option.value) || !Array.isArray(value)) return false;
  // A format is there once, so the later one stands in place of the earlier one of its type.
  const sameness = (each: unknown) => (name === 'formats' ? typeOf(each) : JSON.stringify(each));
  const entries = value.map(sameness);
  return option.value.every((each) => entries.includes(sameness(each)));
}

/**
 * Tells the unknown keys of a request, and which of its other mistakes are gone when the advice is followed: a member
 * that is missing because it has another name. In a list, the whole object is written then.
 * @returns the texts, and the mistakes that are left
 */
export function tellUnknownKeys(issues: readonly Issue[], checked: Checked) {
  const described = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? [describeKeys(issue, checked)] : [],
  );
  const others = issues.filter(({ code }) => code !== 'unrecognized_keys');
  const request = described.reduce(
    (mended: unknown, each) => replaceAt(mended, each.path, each.mended),
    checked.request,
  );
  const mended = { ...checked, request };
  const { error } = z.safeParse(checked.schema, request, { error: () => '' });
  const nameOfIssue = ({ code, path }: Issue) => JSON.stringify([code, path]);
  const left = new Set(resolveUnions(error?.issues ?? [], mended).map(nameOfIssue));
  const isLeft = (issue: Issue) => left.has(nameOfIssue(issue));
  const gone = others.filter((issue) => !isLeft(issue));
  const texts = described.map(({ text, path, mended: object }) => {
    const isWhole = path.length > 0 && gone.some((issue) => isUnder(issue.path, path)) && isShort(object);
    return isWhole ? `${withoutValues(text, object)} Write ${JSON.stringify(object)}.` : text;
  });
  return { texts, others: others.filter((issue) => !gone.includes(issue)) };
}

/** Leaves out the values of advice that the whole object repeats. */
const withoutValues = (text: string, object: unknown) =>
  Object.entries(Object(object)).reduce(
    (told: string, [name, value]) => told.replace(`${name}: ${JSON.stringify(value)}.`, `${name}.`),
    text,
  );
