import { isJsonObject, parseJson } from '../../json/json-object.ts';
import { isShort } from './examples.ts';
import { memberAt, typeOf } from './request-schema.ts';

/** Options with lists or objects, to which a person adds what an unknown option meant. */
const MERGED: ReadonlySet<string> = new Set([
  'formats',
  'actions',
  'parsers',
  'headers',
  'location',
  'webhook',
]);
/** Whether the value of advice is added to that of the request. */
export const isMerged = (name: string): boolean => MERGED.has(name);
/** How advice names an option: `Use text`, `Ask for it in formats`, `For a time, use milliseconds`. */
const NAMED = /\b(?:[Uu]se|Ask for it in|Did you mean) (\w+)/;
/** What stands between the name of an option and its value, such as `, in milliseconds: `. */
const BEFORE_VALUE = /^(?:(?:, [^:."]*)?: |\? Write "\w+": )/;

/** An option that advice names, with its value if that is told too. */
export interface AdvisedOption {
  name: string;
  /** Undefined where the advice repeats no value, because the one that was sent is right. */
  value: unknown;
  /** The advice before the value and after it. */
  before: string;
  after: string;
}

/** The option that advice on an unknown key names; undefined for advice without one, or with a placeholder as value. */
export function optionIn(advice: string): AdvisedOption | undefined {
  const named = NAMED.exec(advice);
  if (!named?.[1]) return undefined;
  const end = named.index + named[0].length;
  const [between] = BEFORE_VALUE.exec(advice.slice(end)) ?? [];
  if (between === undefined) {
    const isBare = /^[.?]|^, [^:]*\.$/.test(advice.slice(end));
    return isBare ? { name: named[1], value: undefined, before: advice, after: '' } : undefined;
  }
  const start = end + between.length;
  for (let stop = advice.length; stop > start; stop--) {
    const value = parseJson(advice.slice(start, stop));
    if (value !== undefined)
      return { name: named[1], value, before: advice.slice(0, start), after: advice.slice(stop) };
  }
  return undefined;
}

/**
 * Adds what a request already has to the value of advice, so that it can be written as it stands: the other formats
 * to `Use formats: ["html"]`.
 * @param sent the object of the request in which the unknown key is
 */
export function mergeWithSent(advice: string, sent: unknown): string {
  const option = optionIn(advice);
  const merged = option && mergedValue(option, sent);
  return merged === undefined || !isShort(merged)
    ? advice
    : `${option?.before}${JSON.stringify(merged)}${option?.after}`;
}

/** The value of an option together with the one that was sent; undefined where nothing is to be added. */
function mergedValue({ name, value }: AdvisedOption, sent: unknown): unknown {
  const own = memberAt(sent, name);
  if (!MERGED.has(name) || own === undefined) return undefined;
  if (isJsonObject(own) && isJsonObject(value)) return { ...own, ...value };
  // A URL alone is short for a webhook.
  if (name === 'webhook' && isJsonObject(value) && typeof own === 'string') return { ...value, url: own };
  if (!Array.isArray(own) || !Array.isArray(value)) return undefined;
  // A page is waited for and clicked several times, but has each of its formats and parsers once.
  const types = new Set(name === 'actions' ? [] : value.map(typeOf));
  const others = own.filter((each) => !types.has(typeOf(each)));
  if (name !== 'parsers') return [...others, ...value];
  const sentOf = (type: unknown) => own.find((each) => isJsonObject(each) && typeOf(each) === type);
  return [...others, ...value.map((each) => ({ ...sentOf(typeOf(each)), ...each }))];
}
