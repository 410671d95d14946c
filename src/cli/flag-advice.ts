import { z } from 'zod';
import { optionIn } from '../api/validation/merged-advice.ts';
import { meantValueOf } from '../api/validation/option-advice.ts';
import { shapeOf, unwrap } from '../api/validation/request-schema.ts';
import { adviseOnKey, NO_SUCH_OPTION } from '../api/validation/unknown-keys.ts';
import { isJsonObject } from '../json/json-object.ts';
import { agentBody } from '../schemas/agent.ts';
import { batchBody } from '../schemas/batch.ts';
import { crawlBody } from '../schemas/crawl.ts';
import { extractBody } from '../schemas/extract.ts';
import { mapBody } from '../schemas/map.ts';
import { createMonitorBody } from '../schemas/monitor.ts';
import { parseOptions } from '../schemas/parse.ts';
import { scrapeBody } from '../schemas/scrape.ts';
import { searchBody } from '../schemas/search.ts';

/** The requests that commands send, by the command. */
const REQUESTS: Readonly<Record<string, { path: string; body: z.core.$ZodType }>> = {
  scrape: { path: '/v2/scrape', body: scrapeBody },
  parse: { path: '/v2/parse', body: parseOptions },
  crawl: { path: '/v2/crawl', body: crawlBody },
  batch: { path: '/v2/batch/scrape', body: batchBody },
  map: { path: '/v2/map', body: mapBody },
  search: { path: '/v2/search', body: searchBody },
  extract: { path: '/v2/extract', body: extractBody },
  agent: { path: '/v2/agent', body: agentBody },
  'monitor create': { path: '/v2/monitor', body: createMonitorBody },
};

/** Flags whose options have other names, each with those of all commands. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  header: ['headers'],
  'max-depth': ['maxDiscoveryDepth'],
  include: ['includePaths'],
  exclude: ['excludePaths'],
  external: ['allowExternalLinks'],
  subdomains: ['allowSubdomains', 'includeSubdomains'],
  'ignore-robots': ['ignoreRobotsTxt'],
  'ignore-query': ['ignoreQueryParameters'],
  'entire-domain': ['crawlEntireDomain'],
  concurrency: ['maxConcurrency'],
  strict: ['strictConstrainToURLs'],
};

/** An option of the command line that a command does not have. */
interface UnknownFlag {
  command: string;
  /** Its name, without the dashes. */
  name: string;
  /** Undefined for one that stands alone. */
  value: string | undefined;
  /** The flags that the command has. */
  flags: readonly string[];
}

/**
 * Rewrites the value behind a wrong flag as the right flag takes it, so that nobody is told of it only then.
 * @param meant the flag that is meant
 * @returns undefined where the value is right, or what is meant is not to be told
 */
export function meantFlagValue(meant: string, { command, value }: UnknownFlag): string | undefined {
  const shape = optionsOf(command);
  const name = optionsOfFlag(meant).find((each) => Object.hasOwn(shape, each));
  if (name === undefined || value === undefined) return undefined;
  const isList = unwrap(shape[name]!).some(({ schema }) => schema._zod.def.type === 'array');
  const misnamed = {
    key: name,
    value: isList ? value.split(/\s*,\s*/) : value,
    shape,
    part: 'body' as const,
  };
  const found = meantValueOf(name, misnamed);
  const text = found === undefined ? undefined : textOf(found, meant);
  return text === undefined ? undefined : quoted(text);
}

/**
 * Says what the API knows of an option that a command does not have, with flags in place of the options.
 * @returns a sentence; undefined where nothing is known
 */
export function adviseOnUnknownFlag(flag: UnknownFlag): string | undefined {
  const { command, flags } = flag;
  const request = REQUESTS[command];
  if (!request) return undefined;
  const name = optionOf(flag.name);
  const place = { part: 'body' as const, schema: request.body, request: {}, path: [] };
  const shape = optionsOf(command);
  const isOwn = Object.hasOwn(shape, name);
  const advice = isOwn ? `Use ${name}.` : adviseOnKey(name, place, flag.value ?? true);
  if (advice.startsWith(NO_SUCH_OPTION)) return undefined;
  if (advice.startsWith('Leave it out')) return withFlags(advice, flags);
  const option = optionIn(advice);
  if (!option) return undefined;
  const own = flagOf(option.name, flags);
  const sent = { key: option.name, value: flag.value ?? true, shape, part: 'body' as const };
  const value = option.value ?? meantValueOf(option.name, sent) ?? sent.value;
  const text = own && textOf(value, own);
  if (text !== undefined) return `Use --${own}${value === true ? '' : ` ${quoted(text)}`}.`;
  // A URL is what the command works on, and stands alone.
  const isWord = option.name === 'url' || option.name === 'urls';
  if (isWord || !Object.hasOwn(shape, option.name) || !z.safeParse(shape[option.name]!, value).success)
    return undefined;
  return `The command has no flag for it, but POST ${request.path} takes ${JSON.stringify({ [option.name]: value })}.`;
}

const optionsOf = (command: string) => {
  const request = REQUESTS[command];
  const shape = shapeOf(request ? unwrap(request.body) : []);
  return { ...(shape.scrapeOptions && shapeOf(unwrap(shape.scrapeOptions))), ...shape };
};

/** The name of an option, such as `waitFor` for `wait-for`. */
const optionOf = (flag: string) => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const optionsOfFlag = (flag: string) => OPTIONS[flag] ?? [optionOf(flag)];
const flagOf = (option: string, flags: readonly string[]) =>
  flags.find((flag) => optionsOfFlag(flag).includes(option));

/** Replaces the names of options in a sentence by the flags that a command has for them. */
const withFlags = (advice: string, flags: readonly string[]) =>
  advice.replace(/\b[a-z]+(?:[A-Z]\w*)\b/g, (name) => {
    const flag = flagOf(name, flags);
    return flag ? `--${flag}` : name;
  });

/**
 * A value as a flag takes it: lists with commas, headers as lines, and the only member of another object.
 * @returns undefined for a value that no text stands for
 */
function textOf(value: unknown, flag: string): string | undefined {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',');
  const [[name, text] = [], ...others] = Object.entries(isJsonObject(value) ? value : {});
  if (typeof text === 'string' && !others.length) return flag === 'header' ? `${name}: ${text}` : text;
  return typeof value === 'object' ? undefined : String(value);
}

/** A text as a shell takes it. */
const quoted = (text: string) =>
  /^[\w./:,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
