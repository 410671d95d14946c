import { isJsonObject } from '../../json/json-object.ts';
import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import type { StructuredData } from '../html/structured-data/structured-data.ts';
import { isCommonName, nameWords } from './property-names.ts';
import { detectCurrency, isPriceText } from './values/numbers.ts';
import { type VariantValue, variantValues } from './variants.ts';

/** A named value of a page. */
export interface Field {
  name: string;
  value: unknown;
  /** Certainty that the name fits the value, from 0 to 1. */
  trust: number;
  /** The value was written for machines, so numbers have a decimal point. */
  isData: boolean;
  /** The value has several members that differ, so none of them may stand for all. */
  isForLists?: boolean;
}

/** Properties of schema.org whose members describe the item that has them. */
const FLATTENED_PROPERTIES = new Set(
  'offers,priceSpecification,aggregateRating,mainEntityOfPage,baseSalary,contactPoint,address,jobLocation'.split(
    ',',
  ),
);
const MAX_DEPTH = 3;
const NESTED_TRUST = 0.95;
/** A value that variants share is less certain for their group than one that its own offers state. */
const VARIANT_TRUST = 0.9;
const MAX_FIELDS = 1_000;
/** Most characters of a text that is read as a name with a price. */
const MAX_LINE = 200;

/** The fields of a structured item: its own, and those of nested items under both names (`author name`). */
export function itemFields(item: JsonLdItem, trust = 1, depth = 0): Field[] {
  const variants = item.hasVariant === undefined ? [] : variantValues(item);
  const toField = (each: VariantValue, certainty: number) => ({ ...each, trust: certainty, isData: true });
  // Where a list is wanted, all variants come before what the group says of itself; else they come after it.
  const fields: Field[] = variants.filter(isForLists).map((each) => toField(each, trust));
  for (const [name, value] of Object.entries(item)) {
    if (name.startsWith('@') || value === null || value === '' || fields.length > MAX_FIELDS) continue;
    fields.push({ name, value, trust, isData: true });
    const part: unknown = Array.isArray(value) ? (value.find(isJsonObject) ?? value[0]) : value;
    if (!isJsonObject(part) || depth >= MAX_DEPTH) continue;
    const inner = itemFields(part, trust * NESTED_TRUST, depth + 1);
    if (name === 'mainEntity') fields.push(...inner);
    // An offer's own name or URL is not that of the item on offer.
    else if (FLATTENED_PROPERTIES.has(name))
      fields.push(...inner.filter((field) => !isCommonName(field.name)));
    else
      fields.push(
        ...inner.map((field) => ({ ...field, name: `${nameWords(name).join(' ')} ${field.name}` })),
      );
  }
  const single = variants.filter((each) => !isForLists(each));
  return [...fields, ...single.map((each) => toField(each, trust * VARIANT_TRUST))].slice(0, MAX_FIELDS);
}

const isForLists = (value: VariantValue) => value.isForLists === true;

/** Fields from meta tags, named without their prefix (`og:title` gives `title`). */
export function metaTagFields({ openGraph, twitter }: StructuredData, metadata: JsonLdItem): Field[] {
  const tags: [string, unknown, number][] = [
    ...Object.entries(openGraph).map(([name, value]): [string, unknown, number] => [name, value, 0.85]),
    ...Object.entries(twitter).map(([name, value]): [string, unknown, number] => [name, value, 0.7]),
    ...Object.entries(metadata).map(([name, value]): [string, unknown, number] => [name, value, 0.8]),
  ];
  return tags
    .filter(([, value]) => value !== '')
    .map(([name, value, trust]) => ({ name: name.replace(/^[a-z]+:/i, ''), value, trust, isData: true }));
}

/** A name followed by a price, as in price lists. */
const NAME_WITH_PRICE = /^(.*?[\p{L}\p{N})"'”’])[\s.…:–—-]+(\S*\d\S*(?:\s\S{1,3})?)$/u;

/** The fields of an item that is only a text: its name, and a price at the end. */
export function textFields(text: string, trust: number): Field[] {
  const [, name = '', price = ''] = (text.length <= MAX_LINE && NAME_WITH_PRICE.exec(text)) || [];
  if (!isPriceText(price)) return [{ name: 'name', value: text, trust, isData: false }];
  return [{ name: 'name', value: name, trust, isData: false }, ...createVisibleField('price', price, trust)];
}

/** A field from visible text. An amount with a currency also gives a `currency` field. */
export function createVisibleField(name: string, value: string | string[], trust: number): Field[] {
  const field = { name, value, trust, isData: false };
  const currency = typeof value === 'string' && value.length < 40 ? detectCurrency(value) : undefined;
  return currency
    ? [field, { name: 'currency', value: currency, trust: trust * 0.8, isData: false }]
    : [field];
}
