import type { ErrorObject } from 'ajv';
import { ServiceError } from '../errors.ts';
import type { Content } from '../html/content.ts';
import { type Item, isItem, toPlain } from '../html/json-ld.ts';
import { itemsOf } from '../html/structured-data.ts';
import { type Field, fieldsOfItem, fieldsOfMeta } from './fields.ts';
import { type Found, findObject, findRows, type Ground } from './matching.ts';
import { recordsOf } from './records.ts';
import { alternativesOf, propertiesOf, type Schema, validation } from './schema.ts';
import { shownFields } from './shown.ts';

/** Data of a page, and what of the schema it has nothing for. */
export interface Extraction {
  value: unknown;
  /** Names of the schema's properties, the outermost ones. */
  missing: string[];
}

const MOST_ITEMS = 30;
const MOST_COMPARISONS = 2_000_000;
const MOST_VALUES = 20_000;
/** They describe the site, or the page as a page. */
const SURROUNDINGS =
  /^(?:WebSite|WebPage|Organization|BreadcrumbList|ImageObject|SearchAction|SiteNavigationElement|WPHeader|WPFooter)$/;

/**
 * The values that a page gives for the names of a schema: out of its structured data, its meta tags, and what it shows
 * with a label. They are taken as they stand, but for their type; nothing is concluded. What fits no rule of the schema
 * is left out. `undefined` where the page has none of it.
 * @throws ServiceError `BAD_REQUEST` for a schema whose references or patterns lead nowhere
 */
export function extractBySchema(content: Content, schema: Schema): Extraction | undefined {
  const faultsOf = readSchema(schema);
  const ground: Ground = {
    root: schema,
    url: content.snapshot.url,
    language: String(content.metadata.language ?? ''),
    records: recordsOf(content.tree, content.structuredData, content.snapshot.url),
    budget: { comparisons: MOST_COMPARISONS },
  };
  const found = alternativesOf(schema, schema)
    .map((alternative) => findRoot(alternative, content, ground))
    .find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const value = withoutFaults(found, faultsOf);
  if (isBlank(value)) return undefined;
  const names = alternativesOf(schema, schema).flatMap((each) => propertiesOf(each).map(([name]) => name));
  const has = (name: string) => isItem(value) && Object.hasOwn(value, name) && !isBlank(value[name]);
  return { value, missing: Array.isArray(value) ? [] : [...new Set(names)].filter((name) => !has(name)) };
}

/** All that a page says for machines, for who has no schema; `undefined` where it says nothing. */
export function extractAll({ structuredData, snapshot }: Content): Item | undefined {
  const { openGraph, twitter } = structuredData;
  const items = itemsOf(structuredData);
  const json = documentOf(snapshot);
  const found = {
    ...(items.length > 0 && { items }),
    ...(Object.keys(openGraph).length > 0 && { openGraph }),
    ...(Object.keys(twitter).length > 0 && { twitter }),
    ...(json !== undefined && { document: json }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

function readSchema(schema: Schema): (value: unknown) => ErrorObject[] {
  try {
    return validation(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError('BAD_REQUEST', `The schema cannot be used: ${why}. Correct it.`, { cause: error });
  }
}

function findRoot(schema: Schema, content: Content, ground: Ground): unknown {
  const { structuredData, snapshot } = content;
  const document = documentOf(snapshot);
  if (schema.type === 'array') {
    const rows = Array.isArray(document)
      ? [{ name: '', rows: document.filter(isItem).map((row) => fieldsOfItem(row)) }]
      : ground.records;
    return findRows('', schema, { ...ground, records: rows }, 0)?.value;
  }
  const page = pageFields(content);
  const items = [...(isItem(document) ? [document] : []), ...itemsOf(structuredData)].slice(0, MOST_ITEMS);
  const sources = [
    ...items.map((item) => fieldsOfItem(item, SURROUNDINGS.test(String(item['@type'])) ? 0.6 : 1)),
    [],
  ];
  let best: Found | undefined;
  for (const own of sources) {
    const found = findObject(schema, [...own, ...page], ground);
    if (found && (!best || found.certainty > best.certainty)) best = found;
  }
  return best?.value;
}

function pageFields({ tree, structuredData, metadata, snapshot }: Content): Field[] {
  return [
    ...(tree ? shownFields(tree) : []),
    ...fieldsOfMeta(structuredData, metadata),
    { name: 'url', value: snapshot.url, trust: 0.7, isData: true },
  ];
}

/** A page that is JSON itself. */
function documentOf({ kind, text }: Content['snapshot']): unknown {
  if (kind !== 'json') return undefined;
  try {
    return toPlain(JSON.parse(text), { values: MOST_VALUES }, 0);
  } catch {
    // Its type says JSON, its text does not: there is nothing to take from it.
    return undefined;
  }
}

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.values(value).every((each) => isBlank(each)));

const MOST_REPAIRS = 20;

/** Takes away what breaks a rule of the schema, from the inside out; what is required and not there stays missing. */
function withoutFaults(value: unknown, faultsOf: (value: unknown) => ErrorObject[]): unknown {
  for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
    const faults = faultsOf(value).filter(
      ({ keyword }) => !/^(?:required|anyOf|oneOf|if|minProperties)$/.test(keyword),
    );
    const paths = [...new Set(faults.map(({ instancePath }) => instancePath))];
    const deepest = Math.max(...paths.map((path) => path.split('/').length));
    if (paths.length === 0) return value;
    for (const path of paths.filter((each) => each.split('/').length === deepest)) {
      if (path === '') return undefined;
      remove(value, path.slice(1).split('/'));
    }
  }
  return undefined;
}

function remove(root: unknown, path: string[]): void {
  const names = path.map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = names.pop()!;
  let at = root;
  for (const name of names) at = (at as Item | undefined)?.[name];
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else if (isItem(at)) delete at[last];
}
