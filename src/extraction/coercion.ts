import { resolve } from '../html/address.ts';
import { type Item, isItem, typeName } from '../html/json-ld.ts';
import { dateIn } from './dates.ts';
import { numberIn } from './numbers.ts';
import type { Schema } from './schema.ts';

/** What a value is read with. */
export interface Reading {
  /** Of the page, such as `de`. */
  language: string;
  /** What relative addresses refer to. */
  url: string;
}

const YES =
  /^(?:true|yes|1|ja|oui|s[ií]|sim|da|✓|✔|instock|available|in stock|auf lager|en stock|lieferbar)$/i;
const NO =
  /^(?:false|no|0|nein|non|não|✗|✘|outofstock|soldout|discontinued|out of stock|sold out|ausverkauft)$/i;
/** What a thing is called or is, where a text is wanted of it; the first that there is. */
const FACES = ['@value', 'name', 'headline', 'value', 'text', 'url', 'contentUrl', 'ratingValue', '@id'];

/**
 * A value as a text, number or truth value of the schema's type; `undefined` where it is none without guessing.
 * @param isData it was written for machines, so a point is a decimal point
 */
export function toScalar(value: unknown, schema: Schema, isData: boolean, reading: Reading): unknown {
  const plain = faceOf(value, schema);
  if (plain === undefined || plain === '') return undefined;
  if (Array.isArray(schema.enum)) return chosen(plain, schema.enum);
  if (schema.const !== undefined) return chosen(plain, [schema.const]);
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const number = toNumber(plain, isData, reading.language);
      return number !== undefined && (schema.type === 'number' || Number.isInteger(number))
        ? number
        : undefined;
    }
    case 'boolean':
      return toBoolean(plain);
    case 'string':
      return toText(String(plain), schema.format, reading);
    case undefined:
      return plain;
    default:
      return undefined;
  }
}

/** One thing of many, and the text of a thing: `Ann` of `[{"@type": "Person", "name": "Ann"}]`. */
function faceOf(value: unknown, schema: Schema): string | number | boolean | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (isItem(one)) return faceOf(faceIn(one, schema), schema);
  return typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? one : undefined;
}

function faceIn(item: Item, { format }: Schema): unknown {
  const isAddress = format === 'uri' || format === 'url';
  const names = isAddress || item['@type'] === 'ImageObject' ? ['url', 'contentUrl', '@id', '@value'] : FACES;
  const name = names.find((each) => item[each] !== undefined && typeof item[each] !== 'object');
  return name && item[name];
}

const plainly = (value: unknown) => (typeName(String(value)) ?? '').toLowerCase().replace(/[\s_-]/g, '');

function chosen(value: unknown, choices: unknown[]): unknown {
  const exact = choices.find((choice) => choice === value);
  const text = String(value).trim().toLowerCase();
  return (
    exact ??
    choices.find((choice) => String(choice).toLowerCase() === text) ??
    // `https://schema.org/InStock` and `in_stock`.
    choices.find((choice) => choice !== null && plainly(choice) !== '' && plainly(choice) === plainly(text))
  );
}

function toNumber(value: string | number | boolean, isData: boolean, language: string): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return undefined;
  const isPlain = isData && /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(value);
  return isPlain ? Number(value) : numberIn(value, language);
}

function toBoolean(value: string | number | boolean): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value).trim();
  const name = typeName(text) ?? '';
  if (YES.test(text) || YES.test(name)) return true;
  return NO.test(text) || NO.test(name) ? false : undefined;
}

function toText(text: string, format: unknown, { language, url }: Reading): string | undefined {
  if (format === 'date') return dateIn(text, language);
  if (format === 'date-time') return /T\d\d:\d\d/.test(text) ? text : undefined;
  if (format === 'uri' || format === 'url') return resolve(text, url);
  if (format === 'email') return text.replace(/^mailto:/i, '').trim();
  return text;
}
