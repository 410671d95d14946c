import { type Item, isItem } from '../html/json-ld.ts';
import type { StructuredData } from '../html/structured-data.ts';
import { isCommon, nameWords } from './names.ts';
import { currencyIn, isPrice } from './numbers.ts';

/** Something that a page gives a name to. */
export interface Field {
  name: string;
  value: unknown;
  /** How sure it is that the value is of that name, up to 1. */
  trust: number;
  /** It was written for machines: numbers have a decimal point. */
  isData: boolean;
}

/** What stands in these is said of the thing that they stand in. */
const TRANSPARENT = new Set(
  'offers,priceSpecification,aggregateRating,mainEntityOfPage,baseSalary,contactPoint,address,jobLocation'.split(
    ',',
  ),
);
const MOST_DEPTH = 3;
const NESTED = 0.95;
const MOST_FIELDS = 1_000;
/** Of a text that may be a name and a price. */
const MOST_LINE = 200;

/** The fields of a described thing: its own, those of its parts by both names (`author name`), and prices and the like. */
export function fieldsOfItem(item: Item, trust = 1, depth = 0): Field[] {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(item)) {
    if (name.startsWith('@') || value === null || value === '' || fields.length > MOST_FIELDS) continue;
    fields.push({ name, value, trust, isData: true });
    const part = Array.isArray(value) ? value[0] : value;
    if (!isItem(part) || depth >= MOST_DEPTH) continue;
    const inner = fieldsOfItem(part, trust * NESTED, depth + 1);
    if (name === 'mainEntity') fields.push(...inner);
    // The name of an offer is not that of what it offers.
    else if (TRANSPARENT.has(name)) fields.push(...inner.filter((field) => !isCommon(field.name)));
    else
      fields.push(
        ...inner.map((field) => ({ ...field, name: `${nameWords(name).join(' ')} ${field.name}` })),
      );
  }
  return fields.slice(0, MOST_FIELDS);
}

/** What meta tags say, by the last part of their names. */
export function fieldsOfMeta({ openGraph, twitter }: StructuredData, metadata: Item): Field[] {
  const tags: [string, unknown, number][] = [
    ...Object.entries(openGraph).map(([name, value]): [string, unknown, number] => [name, value, 0.85]),
    ...Object.entries(twitter).map(([name, value]): [string, unknown, number] => [name, value, 0.7]),
    ...Object.entries(metadata).map(([name, value]): [string, unknown, number] => [name, value, 0.8]),
  ];
  return tags
    .filter(([, value]) => value !== '')
    .map(([name, value, trust]) => ({ name: name.replace(/^[a-z]+:/i, ''), value, trust, isData: true }));
}

/** A thing's name with its price behind, as in lists of what is sold. */
const PRICED = /^(.*?[\p{L}\p{N})"'”’])[\s.…:–—-]+(\S*\d\S*(?:\s\S{1,3})?)$/u;

/** The fields of a thing that is no more than a text: its name, and a price where one ends it. */
export function fieldsOfText(text: string, trust: number): Field[] {
  const [, name = '', price = ''] = (text.length <= MOST_LINE && PRICED.exec(text)) || [];
  if (!isPrice(price)) return [{ name: 'name', value: text, trust, isData: false }];
  return [{ name: 'name', value: name, trust, isData: false }, ...shownField('price', price, trust)];
}

/** A field of the text that people read; of an amount with a currency, that too. */
export function shownField(name: string, value: string | string[], trust: number): Field[] {
  const field = { name, value, trust, isData: false };
  const currency = typeof value === 'string' && value.length < 40 ? currencyIn(value) : undefined;
  return currency
    ? [field, { name: 'currency', value: currency, trust: trust * 0.8, isData: false }]
    : [field];
}
