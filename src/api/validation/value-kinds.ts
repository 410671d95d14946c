import { isJsonObject } from '../../json/json-object.ts';
import { cookieTextOf } from './cookie-text.ts';
import { isShort } from './examples.ts';

/** A value that says by itself what it is for, whatever its option is called. */
interface ValueKind {
  /** The option that the place must know for the advice to fit. */
  beside: string;
  is: (value: unknown) => boolean;
  /** What to do, as a sentence. */
  advice: (value: unknown) => string;
}

/** States of a page for which the libraries of browsers wait. */
const LOAD_STATE =
  /^(load|loaded|domcontentloaded|domready|networkidle[02]?|network_idle|interactive|commit)$/i;
const USER_AGENT = /^Mozilla\/\d/;
/** A proxy with a password, or of a kind that no page has. */
const PROXY = /^(https?:\/\/[^/\s@]+@|socks\d?h?:\/\/)[^/\s]+\/?$/i;
/** Types of files that crawls and batches are exported to, or that people expect. */
const EXPORT_TYPE = /^(csv|tsv|xlsx?|excel|jsonl|ndjson|jsonlines|parquet|warc|wacz)$/i;
/** The most objects between a value and the JSON Schema in it: OpenAI has it in `json_schema.schema`. */
const MAX_WRAPPERS = 2;

/** The format that has data of a page by the JSON Schema and the prompt in a value; undefined if it has neither. */
function dataFormatOf(value: unknown): object | undefined {
  const schema = schemaIn(value);
  const prompt = promptIn(value);
  if (schema === undefined && prompt === undefined) return undefined;
  const shown = isShort(schema) ? schema : { type: 'object', properties: {} };
  return {
    type: 'json',
    ...(prompt !== undefined && { prompt }),
    ...(schema !== undefined && { schema: shown }),
  };
}

const KINDS: readonly ValueKind[] = [
  {
    beside: 'waitFor',
    is: (value) => typeof value === 'string' && LOAD_STATE.test(value),
    advice: () =>
      'Leave it out: a browser waits until the page is quiet. For more time, use waitFor, in milliseconds, such as 2000.',
  },
  {
    beside: 'headers',
    is: (value) => typeof value === 'string' && USER_AGENT.test(value),
    advice: (value) => `Use headers: ${JSON.stringify({ 'User-Agent': isShort(value) ? value : '…' })}.`,
  },
  {
    beside: 'headers',
    is: areCookies,
    advice: (value) => `Use headers: ${JSON.stringify({ Cookie: cookieTextOf(value) })}.`,
  },
  {
    beside: 'proxy',
    is: (value) => typeof value === 'string' && PROXY.test(value),
    advice: () =>
      'Leave it out: the operator sets the proxy servers, with WINNOW_PROXIES_BASIC and WINNOW_PROXIES_ENHANCED. Use proxy: "basic", "enhanced" or "auto" to choose among them.',
  },
  {
    beside: 'schema',
    is: (value) => schemaIn(value) !== undefined,
    advice: (value) => {
      const schema = schemaIn(value);
      return `Use schema${isShort(schema) ? `: ${JSON.stringify(schema)}` : ', with the JSON Schema itself'}.`;
    },
  },
  {
    beside: 'formats',
    is: (value) => dataFormatOf(value) !== undefined,
    advice: (value) => `Use formats: ${JSON.stringify([dataFormatOf(value)])}.`,
  },
  {
    beside: 'scrapeOptions',
    is: (value) => dataFormatOf(value) !== undefined,
    advice: (value) => `Use scrapeOptions: ${JSON.stringify({ formats: [dataFormatOf(value)] })}.`,
  },
  ...['crawlEntireDomain', 'appendToId'].map((beside) => ({
    beside,
    is: (value: unknown) => typeof value === 'string' && EXPORT_TYPE.test(value),
    advice: (value: unknown) =>
      `Leave it out. Export the pages afterwards by GET with the id and /export?format=${/^(parquet|warc|wacz)$/i.exec(String(value))?.[0].toLowerCase() ?? 'jsonl'}.`,
  })),
];

/**
 * Says what to do by the value of an unknown option alone.
 * @param shape the options of the place
 * @returns a sentence; undefined for values that may be anything
 */
export const adviseOnValueKind = (value: unknown, shape: object): string | undefined =>
  KINDS.find(({ beside, is }) => Object.hasOwn(shape, beside) && is(value))?.advice(value);

/** Attributes of cookies (RFC 6265bis, and what browsers export), besides name and value. */
const COOKIE_ATTRIBUTE =
  /^(url|domain|path|expires|expirationDate|maxAge|httpOnly|secure|sameSite|hostOnly|session|storeId)$/i;

/** Whether a value is a list of cookies as libraries of browsers have them. */
function areCookies(value: unknown): boolean {
  if (!Array.isArray(value) || cookieTextOf(value) === undefined) return false;
  return value.some((each) => Object.keys(Object(each)).some((name) => COOKIE_ATTRIBUTE.test(name)));
}

/** The JSON Schema of an object that a value is, or has in `schema` or `json_schema`; undefined if there is none. */
export function schemaIn(value: unknown, wrappers = MAX_WRAPPERS): unknown {
  if (!isJsonObject(value)) return undefined;
  if (value.type === 'object' && isJsonObject(value.properties)) return value;
  const inner = value.json_schema ?? value.jsonSchema ?? value.schema;
  return wrappers > 0 ? schemaIn(inner, wrappers - 1) : undefined;
}

/** The prompt of an object for a language model, which may be one object deeper; undefined if there is none. */
function promptIn(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const objects = [value, ...Object.values(value).filter(isJsonObject)];
  const texts = objects.flatMap((each) => [each.prompt, each.instruction, each.instructions]);
  return texts.filter((text) => typeof text === 'string').find(isShort);
}
