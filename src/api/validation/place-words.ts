import { isJsonObject } from '../../json/json-object.ts';
import { codeOfCountry } from '../../schemas/country.ts';
import { tagOfLanguage } from '../../schemas/language.ts';
import { isShort } from './examples.ts';

/** The names under which other tools have the country in an object. */
const COUNTRY_KEYS = ['country', 'countryCode', 'country_code', 'code'];

/** The most entries of a list that are looked at: as many languages as a location may have. */
const MAX_ENTRIES = 10;

/** The short texts that a value is or has: those at the beginning of a list, or the first of some members. */
function textsIn(value: unknown, keys: readonly string[] = []): string[] {
  const found = isJsonObject(value)
    ? keys.map((key) => value[key])
    : Array.isArray(value)
      ? value.slice(0, MAX_ENTRIES)
      : [value];
  return found.filter((each) => typeof each === 'string').filter((each) => each.trim() && isShort(each));
}

/** The code of the country that a value names; undefined if it names none. */
export function countryIn(value: unknown): string | undefined {
  const [text = ''] = textsIn(value, COUNTRY_KEYS);
  // A place is often written with its country at the end, such as `Berlin, Germany`, and a market at its beginning.
  const parts = [text, text.replace(/^.*,/, ''), text.replace(/[-_].*/, '')];
  return parts.map(codeOfCountry).find((code) => code !== undefined);
}

/** Says how a visitor of a country is asked for. */
export function adviseOnCountry(value: unknown): string {
  const country = countryIn(value);
  return country
    ? `Use location: ${JSON.stringify({ country })}.`
    : 'Use location, such as {"country": "DE"}.';
}

/** Says how a page in a language is asked for. */
export function adviseOnLanguage(value: unknown): string {
  const tags = textsIn(value).flatMap((text) => tagOfLanguage(text) ?? []);
  return `Use location: ${JSON.stringify({ languages: tags.length ? tags : ['de'] })}.`;
}
