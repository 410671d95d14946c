import type { ErrorObject } from 'ajv';
import { ServiceError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import type { Content } from '../html/content.ts';
import { type JsonLdItem, normalizeValue } from '../html/structured-data/json-ld.ts';
import { itemsOf } from '../html/structured-data/structured-data.ts';
import { type Field, itemFields, metaTagFields } from './fields.ts';
import { compileValidator, resolveAlternatives, type Schema, schemaProperties } from './json-schema.ts';
import { findRecords } from './records.ts';
import { type MatchContext, type MatchedObject, SchemaMatcher } from './schema-matching.ts';
import { extractVisibleFields } from './visible-fields.ts';

/** The data found on a page, and the properties of the schema without a value. */
export interface Extraction {
  value: unknown;
  /** Names of the top-level properties without a value. */
  missing: string[];
}

const MAX_ITEMS = 30;
const MAX_COMPARISONS = 2_000_000;
const MAX_VALUES = 20_000;
/** schema.org types that describe the site or the page itself rather than its subject. */
const SITE_LEVEL_TYPES =
  /^(?:WebSite|WebPage|Organization|BreadcrumbList|ImageObject|SearchAction|SiteNavigationElement|WPHeader|WPFooter)$/;

/**
 * Extracts the values of a page that match the property names of a schema, from structured data, meta tags
 * and labelled text. Values are converted to the schema's types but never inferred; those that violate the
 * schema are left out.
 * @returns `undefined` where the page has no matching value
 * @throws ServiceError `BAD_REQUEST` for a schema with unresolvable references or invalid patterns
 */
export function extractBySchema(content: Content, schema: Schema): Extraction | undefined {
  const validate = compileSchema(schema);
  const context: MatchContext = {
    root: schema,
    url: content.snapshot.url,
    language: String(content.metadata.language ?? ''),
    records: findRecords(content.tree, content.structuredData, content.snapshot.url),
    budget: { comparisons: MAX_COMPARISONS },
  };
  const found = resolveAlternatives(schema, schema)
    .map((alternative) => findRoot(alternative, content, context))
    .find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const value = removeInvalid(found, validate);
  if (isEmptyValue(value)) return undefined;
  return { value, missing: listMissing(schema, value) };
}

/** Lists the names of the properties at the root of a schema that data has no value for. */
export function listMissing(schema: Schema, value: unknown): string[] {
  if (!isJsonObject(value)) return [];
  const names = resolveAlternatives(schema, schema).flatMap((each) =>
    schemaProperties(each).map(([name]) => name),
  );
  return [...new Set(names)].filter((name) => !Object.hasOwn(value, name) || isEmptyValue(value[name]));
}

/** All structured data of a page, for requests without a schema; `undefined` where there is none. */
export function extractAll({ structuredData, snapshot }: Content): JsonLdItem | undefined {
  const { openGraph, twitter } = structuredData;
  const items = itemsOf(structuredData);
  const json = parseJsonDocument(snapshot);
  const found = {
    ...(items.length > 0 && { items }),
    ...(Object.keys(openGraph).length > 0 && { openGraph }),
    ...(Object.keys(twitter).length > 0 && { twitter }),
    ...(json !== undefined && { document: json }),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Compiles a schema of a user. @throws ServiceError `BAD_REQUEST` for one that cannot be used */
export function compileSchema(schema: Schema): (value: unknown) => ErrorObject[] {
  try {
    return compileValidator(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError('BAD_REQUEST', `The schema cannot be used: ${why}. Correct it.`, { cause: error });
  }
}

function findRoot(schema: Schema, content: Content, context: MatchContext): unknown {
  const { structuredData, snapshot } = content;
  const document = parseJsonDocument(snapshot);
  if (schema.type === 'array') {
    const rows = Array.isArray(document)
      ? [{ name: '', rows: document.filter(isJsonObject).map((row) => itemFields(row)) }]
      : context.records;
    return new SchemaMatcher({ ...context, records: rows }).findList('', schema, 0)?.value;
  }
  const page = pageFields(content);
  const items = [...(isJsonObject(document) ? [document] : []), ...itemsOf(structuredData)].slice(
    0,
    MAX_ITEMS,
  );
  const sources = [
    ...items.map((item) => itemFields(item, SITE_LEVEL_TYPES.test(String(item['@type'])) ? 0.6 : 1)),
    [],
  ];
  const matcher = new SchemaMatcher(context);
  let best: MatchedObject | undefined;
  for (const own of sources) {
    const found = matcher.findObject(schema, [...own, ...page]);
    if (found && (!best || found.certainty > best.certainty)) best = found;
  }
  return best?.value;
}

function pageFields({ tree, structuredData, metadata, snapshot }: Content): Field[] {
  return [
    ...(tree ? extractVisibleFields(tree) : []),
    ...metaTagFields(structuredData, metadata),
    { name: 'url', value: snapshot.url, trust: 0.7, isData: true },
  ];
}

/** The value of a page that is a JSON document. */
function parseJsonDocument({ kind, text }: Content['snapshot']): unknown {
  if (kind !== 'json') return undefined;
  try {
    return normalizeValue(JSON.parse(text), { values: MAX_VALUES }, 0);
  } catch {
    // The content type says JSON, but the text is not: there is nothing to extract.
    return undefined;
  }
}

/** Whether a value says nothing: null, or an object or list of nothing but such values. */
export const isEmptyValue = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.values(value).every((each) => isEmptyValue(each)));

const MAX_REPAIRS = 20;

/** Removes values that violate the schema, innermost first. Missing required properties stay missing. */
export function removeInvalid(value: unknown, validate: (value: unknown) => ErrorObject[]): unknown {
  for (let repairs = 0; repairs < MAX_REPAIRS; repairs++) {
    const errors = validate(value).filter(
      ({ keyword }) => !/^(?:required|anyOf|oneOf|if|minProperties)$/.test(keyword),
    );
    const paths = [...new Set(errors.map(({ instancePath }) => instancePath))];
    const deepest = paths.reduce((most, path) => Math.max(most, path.split('/').length), 0);
    if (paths.length === 0) return value;
    for (const path of paths.filter((each) => each.split('/').length === deepest)) {
      if (path === '') return undefined;
      removePath(value, path.slice(1).split('/'));
    }
  }
  return undefined;
}

function removePath(root: unknown, path: string[]): void {
  const names = path.map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = names.pop()!;
  let at = root;
  for (const name of names) at = (at as JsonLdItem | undefined)?.[name];
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else if (isJsonObject(at)) delete at[last];
}
