import type { z } from 'zod';
import { isJsonObject, parseJson } from '../../json/json-object.ts';
import { literalsOf, requiredKeys, shapeOf, unwrap } from './request-schema.ts';

/** What is known of the place of a value. */
export interface SentPlace {
  /** The unit of a number. */
  unit: string | undefined;
}

/** The length of units of time in ms. */
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|m|min|h|d)[a-z]*$/i;
const URL_LIKE = /^(https?:\/\/\S+|[\w-]+(\.[\w-]+)+([/:?].*)?)$/i;

/**
 * Brings a wrong value into the form of a schema, in all ways that its writer may have meant.
 * @param sent a value that is short
 * @returns the best one first; the schema may not accept all of them
 */
export function rewriteAs(schema: z.core.$ZodType, sent: unknown, { unit }: SentPlace): unknown[] {
  const { type } = schema._zod.def;
  const parsed = typeof sent === 'string' && /^\s*[[{]/.test(sent) ? parseJson(sent) : undefined;
  if (parsed !== undefined && (type === 'array') === Array.isArray(parsed)) return [parsed];
  switch (type) {
    case 'array':
      return listsOf(sent);
    case 'number':
      return numbersOf(sent, unit);
    case 'boolean':
      return booleansOf(sent);
    case 'record':
      return recordsOf(sent);
    case 'object':
      return objectsOf(schema, sent);
    case 'string':
      return stringsOf(sent);
    default:
      return [];
  }
}

/** Lists with the value, its parts, its URLs, or the names of its members that are switched on. */
function listsOf(sent: unknown): unknown[] {
  if (isJsonObject(sent)) {
    const names = Object.keys(sent).filter((name) => sent[name]);
    const values = Object.values(sent);
    const areUrls =
      values.length > 0 && values.every((each) => typeof each === 'string' && URL_LIKE.test(each));
    return [[sent], areUrls ? values : names];
  }
  if (typeof sent !== 'string') return typeof sent === 'number' ? [[sent]] : [];
  const text = sent.trim();
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  if (!parts.length) return [];
  // URLs have commas too, but what follows these is no URL.
  return parts.length > 1 && parts.every((part) => URL_LIKE.test(part)) ? [parts] : [[text], parts];
}

function numbersOf(sent: unknown, unit: string | undefined): unknown[] {
  if (typeof sent !== 'string') return [];
  const text = sent.trim();
  if (text && Number.isFinite(Number(text))) return [Number(text)];
  const [, amount, name = ''] = DURATION.exec(text) ?? [];
  const ms = Number(amount) * (UNITS_MS[name.toLowerCase()] ?? Number.NaN);
  if (!Number.isFinite(ms) || (unit !== 'ms' && unit !== 'seconds')) return [];
  return [unit === 'ms' ? ms : ms / 1000];
}

function booleansOf(sent: unknown): unknown[] {
  // Of an object, JavaScript may make no text.
  if (typeof sent === 'object') return [];
  const text = String(sent).trim();
  if (/^(true|1|yes|on)$/i.test(text)) return [true];
  return /^(false|0|no|off)$/i.test(text) ? [false] : [];
}

/** Records from lines such as `Cookie: a=b`, or from a list of records. */
function recordsOf(sent: unknown): unknown[] {
  const [first] = Array.isArray(sent) ? sent : [sent];
  if (isJsonObject(first)) return [first];
  const match = typeof first === 'string' ? /^([\w-]+):\s*(.+)$/.exec(first) : undefined;
  return match ? [{ [match[1]!]: match[2]! }] : [];
}

/** Objects with the text as the type, as the two numbers, or as one of the members. */
function objectsOf(schema: z.core.$ZodType, sent: unknown): unknown[] {
  const shape = shapeOf(unwrap(schema));
  const names = [...requiredKeys(shape), ...Object.keys(shape)];
  if (Array.isArray(sent)) {
    const [first] = sent;
    const list = shape.formats && typeof first === 'string' ? [{ formats: sent }] : [];
    const named = shape.type && literalsOf(shape.type).includes(first) ? [{ type: first }] : [];
    return [...(isJsonObject(first) ? [first] : []), ...list, ...named];
  }
  if (typeof sent !== 'string' || !sent.trim()) return [];
  const text = sent.trim();
  const [, width, height] = /^(\d{1,5})\s*\D\s*(\d{1,5})$/.exec(text) ?? [];
  if (shape.width && shape.height && width) return [{ width: Number(width), height: Number(height) }];
  if (shape.type && literalsOf(shape.type).includes(text)) return [{ type: text }];
  return names
    .filter((name) => unwrap(shape[name]!).some((plain) => plain.schema._zod.def.type === 'string'))
    .map((name) => ({ [name]: text }));
}

/** Strings of a number, of the only entry of a list, or of pairs such as those of cookies. */
function stringsOf(sent: unknown): unknown[] {
  if (typeof sent === 'number' || typeof sent === 'boolean') return [String(sent)];
  if (Array.isArray(sent)) return sent.length === 1 && typeof sent[0] === 'string' ? [sent[0]] : [];
  return [];
}
