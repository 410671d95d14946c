import type { z } from 'zod';
import { unwrap } from './request-schema.ts';

/** Words of names of options in other tools, by the word that options here and the table of meanings have. */
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    selector: 'css xpath element tag node dom locator',
    exclude:
      'no remove strip reject deny without omit drop hide blacklist blocklist disallow block skip ignore',
    include: 'only keep whitelist allowlist allow allowed included',
    limit: 'n max maximum count num number total cap top size quantity amount',
    depth: 'level hop',
    site: 'website',
    concurrency: 'concurrent parallel parallelism thread worker simultaneous',
    delay: 'throttle sleep pause politeness',
    cache: 'cached caching',
    proxy: 'proxies',
    country: 'geo region cc gl market geolocation geocode',
    language: 'lang locale hl',
    format: 'output response return extension mime',
    script: 'js javascript snippet code evaluate eval inject',
    action: 'step interaction instruction scenario macro command',
    screenshot: 'snapshot capture',
    schema: 'struct structured model shape field property column',
    query: 'keyword term search',
    result: 'item record row entry',
    header: 'hdr',
    authentication: 'auth login credential username password basic authorization',
    certificate: 'ssl tls cert insecure verify',
    viewport: 'window resolution screen',
    mobile: 'device phone iphone android tablet',
    retry: 'attempt repeat tries',
    subdomain: 'sub',
    parse: 'parser parsing parsed extract extraction extractor',
    timeout: 'deadline',
    end: 'until stop',
    start: 'since begin',
    webhook: 'callback hook notify',
    email: 'mail recipient',
    cost: 'budget credit price spend',
    language_model: 'llm gpt openai provider temperature ai',
  }).flatMap(([word, names]) => names.split(' ').map((name) => [name, word])),
);

/** Words that say nothing of what an option is about. */
const FILLERS: ReadonlySet<string> = new Set(
  'use using enable enabled with is should the of for and in on set custom my a an by do option config setting param parameter value default page url request data'.split(
    ' ',
  ),
);
/** Words of bounds, which options of all kinds have. */
const BOUNDS: ReadonlySet<string> = new Set('max min maximum minimum limit size'.split(' '));
/** The longest name that is taken apart. */
const MAX_CHARACTERS = 100;
/** The most options that are named as the nearest ones. */
const MAX_NEAREST = 3;
/** The most characters of the description of an option beside its name. */
const MAX_DESCRIPTION = 90;

/**
 * Takes the name of an option apart, such as `maxRetries` or `max_retries`.
 * @returns its words in lower case and the singular, and what they mean: `max`, `limit`, `retry`
 */
export function wordsOf(name: string): ReadonlySet<string> {
  const parts = name
    .slice(0, MAX_CHARACTERS)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean)
    .map(singularOf);
  return new Set(parts.flatMap((part) => (Object.hasOwn(SYNONYMS, part) ? [part, SYNONYMS[part]!] : [part])));
}

/** A word without the ending of the plural. */
export const singularOf = (word: string) =>
  word.length > 3
    ? word
        .replace(/(?<!ook|mov)ies$/, 'y')
        .replace(/(ch|sh|x|ss)es$/, '$1')
        .replace(/([^su])s$/, '$1')
    : word;

/**
 * Whether the words of a name have all of some others.
 * @param wanted words with blanks between them, each of which may be one of several: `wait|delay selector`; with
 *   `=` in front, the name may have no words besides them
 */
export function hasWords(words: ReadonlySet<string>, wanted: string): boolean {
  const groups = wanted
    .replace(/^=/, '')
    .split(' ')
    .map((group) => group.split('|'));
  if (!groups.every((group) => group.some((word) => words.has(word)))) return false;
  return !wanted.startsWith('=') || hasOnlyWords(words, new Set(groups.flat()));
}

/** The one name that is among the words of a text: `json` in `json_object`; undefined if none is, or several are. */
export function onlyNameIn(text: string, names: readonly string[]): string | undefined {
  const words = wordsOf(text);
  const found = names.filter((name) => words.has(name.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}

/** Whether a name has no words besides some others and those that say nothing. */
export const hasOnlyWords = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].every((word) => FILLERS.has(word) || others.has(word));

/**
 * Finds the options whose names or descriptions share words with the name of one that does not exist.
 * @returns each with its description, the nearest first
 */
export function nearestOptions(key: string, shape: Readonly<Record<string, z.core.$ZodType>>): string[] {
  const words = [...wordsOf(key)].filter((word) => !FILLERS.has(word) && !BOUNDS.has(word) && word !== 'no');
  return Object.entries(shape)
    .map(([name, schema]) => {
      const description = unwrap(schema)[0]?.description ?? '';
      const own = wordsOf(name);
      const described = wordsOf(description);
      const score = words.reduce((sum, word) => sum + (own.has(word) ? 2 : described.has(word) ? 1 : 0), 0);
      return { name, description, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_NEAREST)
    .map(({ name, description }) => (description ? `${name} (${shorten(description)})` : name));
}

function shorten(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  return `${description.slice(0, MAX_DESCRIPTION).replace(/\W+\S*$/, '')} …`;
}
