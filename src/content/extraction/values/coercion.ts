import { isJsonObject } from '../../../json/json-object.ts';
import { type JsonLdItem, typeName } from '../../html/structured-data/json-ld.ts';
import { resolveUrl } from '../../html/urls.ts';
import type { Schema } from '../json-schema.ts';
import { parseDate } from './dates.ts';
import { parseSingleNumber } from './numbers.ts';

/** The page settings that values are read with. */
export interface ValueContext {
  /** Language of the page, such as `de`. */
  language: string;
  /** Base of relative URLs. */
  url: string;
}

const TRUE_TEXTS =
  /^(?:true|yes|1|ja|oui|s[ií]|sim|da|✓|✔|instock|available|in stock|auf lager|en stock|lieferbar)$/i;
const FALSE_TEXTS =
  /^(?:false|no|0|nein|non|não|✗|✘|outofstock|soldout|discontinued|out of stock|sold out|ausverkauft)$/i;
/** Properties that can stand for an item where a text is expected, in order of preference. */
const DISPLAY_PROPERTIES = [
  '@value',
  'name',
  'headline',
  'value',
  'text',
  'url',
  'contentUrl',
  'ratingValue',
  '@id',
];

/**
 * Converts a value to the scalar type of a schema; `undefined` where that would be a guess.
 * @param isData the value was written for machines, so a point is a decimal point
 */
export function toScalar(value: unknown, schema: Schema, isData: boolean, reading: ValueContext): unknown {
  const plain = readPlainValue(value, schema);
  if (plain === undefined || plain === '') return undefined;
  if (Array.isArray(schema.enum)) return matchChoice(plain, schema.enum);
  if (schema.const !== undefined) return matchChoice(plain, [schema.const]);
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

/** Reads one plain value: `[{"@type": "Person", "name": "Ann"}]` gives `Ann`. */
function readPlainValue(value: unknown, schema: Schema): string | number | boolean | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (isJsonObject(one)) return readPlainValue(selectProperty(one, schema), schema);
  return typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? one : undefined;
}

function selectProperty(item: JsonLdItem, { format }: Schema): unknown {
  const isAddress = format === 'uri' || format === 'url';
  const names =
    isAddress || item['@type'] === 'ImageObject'
      ? ['url', 'contentUrl', '@id', '@value']
      : DISPLAY_PROPERTIES;
  const name = names.find((each) => item[each] !== undefined && typeof item[each] !== 'object');
  return name && item[name];
}

const normalizeChoice = (value: unknown) =>
  (typeName(String(value)) ?? '').toLowerCase().replace(/[\s_-]/g, '');

function matchChoice(value: unknown, choices: unknown[]): unknown {
  const exact = choices.find((choice) => choice === value);
  const text = String(value).trim().toLowerCase();
  return (
    exact ??
    choices.find((choice) => String(choice).toLowerCase() === text) ??
    // `https://schema.org/InStock` matches `in_stock`.
    choices.find(
      (choice) =>
        choice !== null &&
        normalizeChoice(choice) !== '' &&
        normalizeChoice(choice) === normalizeChoice(text),
    )
  );
}

function toNumber(value: string | number | boolean, isData: boolean, language: string): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return undefined;
  const isPlain = isData && /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(value);
  return isPlain ? Number(value) : parseSingleNumber(value, language);
}

function toBoolean(value: string | number | boolean): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value).trim();
  const name = typeName(text) ?? '';
  if (TRUE_TEXTS.test(text) || TRUE_TEXTS.test(name)) return true;
  return FALSE_TEXTS.test(text) || FALSE_TEXTS.test(name) ? false : undefined;
}

function toText(text: string, format: unknown, { language, url }: ValueContext): string | undefined {
  if (format === 'date') return parseDate(text, language);
  if (format === 'date-time') return /T\d\d:\d\d/.test(text) ? text : undefined;
  if (format === 'uri' || format === 'url') return resolveUrl(text, url);
  if (format === 'email') return text.replace(/^mailto:/i, '').trim();
  return text;
}
