import { z } from 'zod';
import { isJsonObject, parseJson } from '../../json/json-object.ts';
import { literalsOf, type Plain, requiredKeys, shapeOf, unwrap } from './request-schema.ts';
import { areNames, rewriteAs, type SentPlace } from './rewrite-value.ts';

/** The most characters of a value that an example repeats. */
const MAX_REPEATED = 100;
/** The most characters of a string that may be JSON, and of values that are repeated as JSON. */
const MAX_JSON = 300;

/** Values of options by name, for each type that options of that name have. */
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  url: ['https://example.com'],
  urls: [['https://example.com']],
  prompt: ['The names and prices of all products'],
  queries: [['opening hours of the museum']],
  recipients: [['you@example.com']],
  query: ['opening hours of the museum'],
  code: ['await page.title()'],
  question: ['What does the article conclude?'],
  script: ['document.title'],
  selector: ['#content'],
  attribute: ['href'],
  text: ['tea'],
  key: ['Enter'],
  schema: [{ type: 'object', properties: { name: { type: 'string' } } }],
  formats: [['markdown']],
  scrapeOptions: [{ formats: ['markdown'] }],
  actions: [[{ type: 'wait', milliseconds: 1000 }], { type: 'wait', milliseconds: 1000 }],
  location: [{ country: 'DE' }, 'Germany'],
  languages: [['de'], 'de'],
  country: ['DE'],
  lang: ['de'],
  viewport: [{ width: 1280, height: 720 }],
  width: [1280],
  height: [720],
  webhook: [{ url: 'https://example.com/hook' }],
  events: [['completed']],
  headers: [{ 'Accept-Language': 'de' }],
  metadata: [{ order: '17' }],
  profile: [{ name: 'shop' }],
  selectors: [[{ selector: 'a', attribute: 'href' }]],
  includeTags: [['main']],
  excludeTags: [['nav']],
  includePaths: [['^/blog/']],
  excludePaths: [['^/blog/']],
  parsers: [['pdf'], { type: 'pdf' }],
  sources: [['web']],
  categories: [['pdf']],
  modes: [['git-diff']],
  includeDomains: [['example.com']],
  excludeDomains: [['example.com']],
  appendToId: ['550e8400-e29b-41d4-a716-446655440000'],
  jobId: ['550e8400-e29b-41d4-a716-446655440000'],
  name: ['Prices of the shop'],
  filename: ['report.pdf'],
  contentType: ['application/pdf'],
  schedule: [{ text: 'daily at 9:00' }],
  cron: ['0 9 * * *'],
  timezone: ['Europe/Berlin'],
  targets: [[{ type: 'scrape', urls: ['https://example.com'] }]],
  email: [{ recipients: ['you@example.com'] }],
  goal: ['Tell me when the price of a product changes'],
};

/** Whether a value is short enough to be repeated in a message. */
export const isShort = (value: unknown): boolean => (JSON.stringify(value) ?? '').length <= MAX_JSON;

/** The list or object that a string has as JSON; undefined for other values. */
export function parseJsonText(sent: unknown): unknown {
  if (typeof sent !== 'string' || sent.length > MAX_JSON || !/^\s*[[{]/.test(sent)) return undefined;
  return parseJson(sent);
}

/**
 * Makes an example of what a value must be, as JSON. Where it can, it is what was sent in the right form: in
 * a list, as a member of the object, or without quotes. The schema accepts it, if it accepts any that is
 * known.
 * @param sent the wrong value
 * @returns an empty string if there is no helpful example
 */
export function exampleFor(
  plains: readonly Plain[],
  sent: unknown,
  { name, unit, isEntry }: SentPlace & { isEntry: boolean },
): string {
  const [word] = typeof sent === 'string' ? sent.trim().split(/[\s:]/, 1) : [sent];
  const type = Array.isArray(sent) ? sent[0] : word;
  const isNamed = ({ schema: { _zod } }: Plain) =>
    _zod.def.type === 'object' &&
    Boolean(_zod.def.shape.type && literalsOf(_zod.def.shape.type).includes(type));
  const plain = plains.find(isNamed) ?? plains[0];
  if (!plain) return '';
  const curated = curatedFor(name, plain.schema);
  // What was sent is no schema in any form, and a number no URL.
  const keepsSent = name !== 'schema' || parseJsonText(sent) !== undefined || areNames(sent);
  const rewritten = keepsSent && isShort(sent) ? rewriteAs(plain.schema, sent, { name, unit }) : [];
  // An option that is a switch or an object may be meant as the object.
  const ofOthers =
    !keepsSent || !isShort(sent)
      ? []
      : plains
          .filter((each) => each !== plain)
          .flatMap((each) =>
            rewriteAs(each.schema, sent, { name, unit }).filter(
              (meant) => z.safeParse(each.wrapped, meant).success,
            ),
          );
  const isCuratedFirst = isEntry ? false : name === 'url' && typeof sent !== 'object';
  const candidates = isCuratedFirst ? [...curated, ...rewritten] : [...rewritten, ...curated];
  const isFit = (each: unknown) => each !== undefined && z.safeParse(plain.wrapped, each).success;
  const example = candidates.find(isFit) ?? ofOthers[0] ?? fallbackFor(plain.schema, sent, candidates);
  return example === undefined ? '' : JSON.stringify(example);
}

/** The example where none that is known is accepted. */
function fallbackFor(schema: z.core.$ZodType, sent: unknown, candidates: readonly unknown[]): unknown {
  const { type } = schema._zod.def;
  if (type === 'record') return candidates[0] ?? { name: 'value' };
  if (type === 'object')
    return objectOf(schema, typeof sent === 'string' && sent.length <= MAX_REPEATED ? sent : '');
  return type === 'array' ? candidates[0] : undefined;
}

/** Examples of an option that are of the type of its schema. */
function curatedFor(name: string, schema: z.core.$ZodType): unknown[] {
  const examples = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name]! : [];
  const { type } = schema._zod.def;
  return examples.filter((each) => {
    if (type === 'array') return Array.isArray(each);
    if (type === 'object' || type === 'record') return isJsonObject(each);
    return typeof each === type;
  });
}

/** An example of the member of an object, from its name and its schema; undefined if there is none. */
export function exampleOf(name: string, schema: z.core.$ZodType): unknown {
  const plains = unwrap(schema);
  const [curated] = plains.flatMap((plain) => curatedFor(name, plain.schema));
  if (curated !== undefined) return curated;
  const [literal] = literalsOf(schema);
  if (literal !== undefined) return literal;
  const kinds = plains.map((plain) => plain.schema._zod.def.type);
  if (kinds.includes('array')) return [exampleOfEntry(plains)];
  if (kinds.includes('object')) return exampleBody(schema);
  if (kinds.includes('number')) return 1;
  return kinds.includes('boolean') ? true : '…';
}

/** An example of an entry of a list. */
function exampleOfEntry(lists: readonly Plain[]): unknown {
  const [element] = lists.flatMap(({ schema: { _zod } }) =>
    _zod.def.type === 'array' ? [_zod.def.element] : [],
  );
  return element ? exampleOf('', element) : '…';
}

/** The smallest object that a schema may accept. */
export function exampleBody(schema: z.core.$ZodType): Record<string, unknown> {
  const shape = shapeOf(unwrap(schema));
  return Object.fromEntries(requiredKeys(shape).map((key) => [key, exampleOf(key, shape[key]!)]));
}

/** The smallest object of a schema, with the text in place of its first member that is a string. */
function objectOf(schema: z.core.$ZodType, text: string): unknown {
  const shape = shapeOf(unwrap(schema));
  const required = exampleBody(schema);
  if (text && literalsOf(shape.type ?? schema).includes(text)) return { ...required, type: text };
  if (text && /^https?:/i.test(text)) {
    if (shape.urls) return { ...required, urls: [text] };
    if (shape.url) return { ...required, url: text };
  }
  const name = [...Object.keys(required), ...Object.keys(shape)].find((key) =>
    unwrap(shape[key]!).some((plain) => plain.schema._zod.def.type === 'string'),
  );
  return name && text ? { ...required, [name]: text } : required;
}
