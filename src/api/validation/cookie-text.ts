import { isJsonObject } from '../../json/json-object.ts';
import { isShort } from './examples.ts';

/**
 * The value of the header Cookie for cookies in another form: a list of objects with `name` and `value`, an object
 * with a value for each name, or the text itself.
 * @returns undefined for a value without cookies, or with many
 */
export function cookieTextOf(value: unknown): string | undefined {
  if (!isShort(value)) return undefined;
  if (typeof value === 'string') return value.includes('=') ? value : undefined;
  const pairs = Array.isArray(value) ? value.map(pairOf) : isJsonObject(value) ? Object.entries(value) : [];
  const texts = pairs.map((pair) => (pair && isText(pair[1]) ? pair.join('=') : undefined));
  return texts.length && texts.every((text) => text !== undefined) ? texts.join('; ') : undefined;
}

const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';

/** The name and the value of a cookie, which is an object or a text. */
function pairOf(cookie: unknown): unknown[] | undefined {
  if (typeof cookie === 'string') return cookie.includes('=') ? cookie.split(/=(.*)/s, 2) : undefined;
  return isJsonObject(cookie) && typeof cookie.name === 'string' ? [cookie.name, cookie.value] : undefined;
}
