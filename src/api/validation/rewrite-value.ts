import { z } from 'zod';
import { isJsonObject, parseJson } from '../../json/json-object.ts';
import { patternOfGlob } from '../../patterns/other-syntax.ts';
import { FEW_MS } from '../../schemas/actions.ts';
import { isNoLimit, maximumOf } from './no-limit.ts';
import { literalsOf, requiredKeys, shapeOf, unwrap } from './request-schema.ts';
import { scheduleOf } from './schedule-words.ts';

/** What is known of the place of a value. */
export interface SentPlace {
  /** The name of the option; for an entry of a list, that of the list. */
  name: string;
  /** The unit of a number. */
  unit: string | undefined;
}

/** The length of units of time in ms. */
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const UNITS_BYTES: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
/** The weight of a language in the header Accept-Language. */
const WEIGHT = /^q=[\d.]+$/;
/** Options with words, of which several make one text. */
const JOINED = /^(query|search|prompt|goal|question|note)$/;
const SIZE = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|kib|mib|gib)$/i;
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|m|min|h|d)[a-z]*$/i;
/** Words by which no copy of a page is wanted. */
const NEVER = /^(never|no|none|off|disabled?|bypass|no-?cache|no-?store)$/i;
/** Names with commas between them, in place of a JSON Schema. */
const NAMES = /^\s*[a-z]\w*(\s*,\s*[a-z]\w*)*\s*$/i;
/** A text that is in no form. */
const NO_VALUE = 'zq-7919';
/** The attribute of an element, as other tools write it: `a@href`, `a::attr(href)`, `a/@href`. */
const ATTRIBUTE_OF = /^(.+?)(?:\/?@|::attr\()([\w-]+)\)?$/;
const URL_LIKE = /^(https?:\/\/\S+|[\w-]+(\.[\w-]+)+([/:?].*)?)$/i;

/**
 * Brings a wrong value into the form of a schema, in all ways that its writer may have meant.
 * @param sent a value that is short
 * @returns the best one first; the schema may not accept all of them
 */
export function rewriteAs(schema: z.core.$ZodType, sent: unknown, { name, unit }: SentPlace): unknown[] {
  const { type } = schema._zod.def;
  const parsed = typeof sent === 'string' && /^\s*[[{]/.test(sent) ? parseJson(sent) : undefined;
  if (parsed !== undefined && (type === 'array') === Array.isArray(parsed)) return [parsed];
  switch (type) {
    case 'array':
      return listsOf(sent);
    case 'number':
      // No copy is young enough, so that the page is read now.
      if (name === 'maxAge' && (sent === false || (typeof sent === 'string' && NEVER.test(sent.trim()))))
        return [0];
      return numbersOf(schema, sent, unit ?? unitOfName(name));
    case 'boolean':
      return booleansOf(sent);
    case 'record':
      return name === 'schema' ? schemasOf(sent) : recordsOf(sent);
    case 'object':
      return objectsOf(schema, sent);
    case 'string':
      return stringsOf(sent, name);
    default:
      return [];
  }
}

/** Lists with the value, its parts, its URLs, or the names of its members that are switched on. */
function listsOf(sent: unknown): unknown[] {
  if (Array.isArray(sent))
    return [sent.map((each) => (typeof each === 'string' ? (patternOfGlob(each) ?? each) : each))];
  if (isJsonObject(sent)) {
    const names = Object.keys(sent).filter((name) => sent[name]);
    const typed = names.map((type) => (isJsonObject(sent[type]) ? { type, ...sent[type] } : type));
    const values = Object.values(sent);
    // Names of texts say which is which, such as `{"path": "/blog"}`.
    const areTexts = values.length > 0 && values.every((each) => typeof each === 'string');
    // The list itself may be within an object, such as `{"steps": […]}`.
    const inner = values.length === 1 && Array.isArray(values[0]) && values[0].length ? [values[0]] : [];
    return [...inner, [sent], ...(areTexts ? [values] : []), typed, names];
  }
  if (typeof sent !== 'string') return typeof sent === 'number' ? [[sent]] : [];
  const text = sent.trim();
  const parts = text.split(/[\s,;]+/).filter((part) => part && !WEIGHT.test(part));
  if (!parts.length) return [];
  // URLs have commas too, but what follows these is no URL.
  if (parts.length > 1 && parts.every((part) => URL_LIKE.test(part))) return [parts];
  const path = patternOfGlob(text);
  return [[text], parts, ...(path === undefined ? [] : [[path]])];
}

/** The unit of a number that the name of its option tells. */
const unitOfName = (name: string) =>
  /days$/i.test(name) ? 'days' : name === 'milliseconds' ? 'ms' : /bytes$/i.test(name) ? 'bytes' : undefined;

/** Numbers in other units, or the greatest one for a word such as `all`. */
function numbersOf(schema: z.core.$ZodType, sent: unknown, unit: string | undefined): unknown[] {
  // Of a whole number up to a hundred, others have the part.
  if (typeof sent === 'number' && z.toJSONSchema(schema).maximum === 100 && sent > 0 && sent <= 1)
    return [Math.round(sent * 100)];
  if (typeof sent !== 'string') return [];
  const text = sent.trim();
  if (text && Number.isFinite(Number(text))) return [Number(text)];
  const maximum = isNoLimit(text) ? maximumOf(schema) : undefined;
  if (maximum !== undefined) return [maximum];
  const [, amount, name = ''] = (unit === 'bytes' ? SIZE : DURATION).exec(text) ?? [];
  const length = unit === 'bytes' ? UNITS_BYTES[name.charAt(0).toLowerCase()] : UNITS_MS[name.toLowerCase()];
  const divisor = { ms: 1, seconds: 1000, days: 86_400_000, bytes: 1 }[unit ?? ''];
  return divisor && length ? [(Number(amount) * length) / divisor] : [];
}

function booleansOf(sent: unknown): unknown[] {
  // Of an object, JavaScript may make no text.
  if (typeof sent === 'object') return [];
  const text = String(sent).trim();
  if (/^(true|1|yes|y|on|enabled?|strict|moderate|always|active|t)$/i.test(text)) return [true];
  return /^(false|0|no|n|off|disabled?|none|never|f|)$/i.test(text) ? [false] : [];
}

/** Whether a value names members with commas between them, or in a list, in place of a JSON Schema. */
export const areNames = (sent: unknown): boolean =>
  typeof sent === 'string'
    ? sent.includes(',') && NAMES.test(sent)
    : Array.isArray(sent) &&
      sent.length > 0 &&
      sent.every((each) => typeof each === 'string' && NAMES.test(each));

/** The JSON Schema of an object with the members that a text or a list names. */
function schemasOf(sent: unknown): unknown[] {
  if (!areNames(sent)) return recordsOf(sent);
  const names = [sent].flat().flatMap((each) => String(each).split(','));
  return [
    {
      type: 'object',
      properties: Object.fromEntries(names.map((each) => [each.trim(), { type: 'string' }])),
    },
  ];
}

/** Records from lines such as `Cookie: a=b`, or from a list of lines, records, or names with values. */
function recordsOf(sent: unknown): unknown[] {
  const entries = typeof sent === 'string' ? sent.split(/\r?\n|(?<=\w);\s*(?=[\w-]+:)/) : sent;
  if (!Array.isArray(entries)) return [];
  const records = entries.flatMap((entry) => {
    if (Array.isArray(entry)) return entry.length === 2 ? [{ [String(entry[0])]: entry[1] }] : [];
    if (isJsonObject(entry)) {
      const name = entry.name ?? entry.key;
      return [typeof name === 'string' && 'value' in entry ? { [name]: entry.value } : entry];
    }
    const match = typeof entry === 'string' ? /^\s*([\w-]+)\s*[:=]\s*(.+?)\s*$/.exec(entry) : undefined;
    return match ? [{ [match[1]!]: match[2]! }] : [];
  });
  return records.length ? [Object.assign({}, ...records)] : [];
}

/** Objects with the text as the type, as the two numbers, or as one of the members. */
function objectsOf(schema: z.core.$ZodType, sent: unknown): unknown[] {
  const shape = shapeOf(unwrap(schema));
  const names = [...requiredKeys(shape), ...Object.keys(shape)];
  if (Array.isArray(sent)) {
    const [first] = sent;
    const list = shape.formats && typeof first === 'string' ? [{ formats: sent }] : [];
    // A list may be that of a member, such as the entities of redactPII, or the object a list of one.
    const upper = sent.map((each) => (typeof each === 'string' ? each.toUpperCase() : each));
    const members = [sent, upper].flatMap((entries) =>
      names
        .filter((each) => sent.length && z.safeParse(shape[each]!, entries).success)
        .map((each) => ({ [each]: entries })),
    );
    const only = sent.length === 1 && typeof first === 'string' ? objectsOf(schema, first) : [];
    return [
      ...(isJsonObject(first) ? [first] : []),
      ...list,
      ...typedBy(sent, { shape, names }),
      ...members,
      ...only,
    ];
  }
  if (shape.cron && shape.text && scheduleOf(sent)) return [scheduleOf(sent)];
  if (typeof sent !== 'string' || !sent.trim()) return [];
  const text = sent.trim();
  const [, width, height] = /^(\d{1,5})\s*\D\s*(\d{1,5})$/.exec(text) ?? [];
  if (shape.width && shape.height && width) return [{ width: Number(width), height: Number(height) }];
  if (shape.type && literalsOf(shape.type).includes(text)) return [{ type: text }];
  const [, selector, attribute] = ATTRIBUTE_OF.exec(text) ?? [];
  if (shape.selector && shape.attribute && attribute) return [{ selector, attribute }];
  const [type, rest] = text.split(/[\s:]+(.*)/s, 2);
  if (shape.type && rest && literalsOf(shape.type).includes(type))
    return typedBy([type, shape.milliseconds ? (waitIn(rest) ?? rest) : rest], { shape, names });
  const members = names
    .filter((name) => unwrap(shape[name]!).some((plain) => plain.schema._zod.def.type === 'string'))
    .map((name) => ({ [name]: text }));
  // A list whose entries have a form, such as mail addresses, is told by it.
  const accepts = (name: string, entry: string) => z.safeParse(shape[name]!, [entry]).success;
  const lists = names
    .filter((name) => accepts(name, text) && !accepts(name, NO_VALUE))
    .map((name) => ({ [name]: [text] }));
  return [...members, ...lists];
}

/** The ms of a wait such as `2s`, `500` or `2`: so few are seconds. */
function waitIn(text: string): number | undefined {
  const [, amount, unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?)?$/i.exec(text.trim()) ?? [];
  const ms = Number(amount) * (UNITS_MS[unit.toLowerCase()] ?? 1);
  return amount === undefined ? undefined : ms <= FEW_MS ? ms * 1000 : ms;
}

/** Objects of a list such as `["click", "#more"]`: a type, and the value of one of its members. */
function typedBy(
  [type, value]: readonly unknown[],
  { shape, names }: { shape: Readonly<Record<string, z.core.$ZodType>>; names: readonly string[] },
): unknown[] {
  if (!shape.type || !literalsOf(shape.type).includes(type)) return [];
  if (value === undefined) return [{ type }];
  const members = names.filter((name) => name !== 'type' && z.safeParse(shape[name]!, value).success);
  return [...members.map((name) => ({ type, [name]: value })), { type }];
}

/** Strings of a number, of the only entry of a list or the only text of an object, or of pairs of a cookie. */
function stringsOf(sent: unknown, name: string): unknown[] {
  if (typeof sent === 'string') return timesOf(sent);
  if (typeof sent === 'number') return [String(sent), ...timesOf(String(sent))];
  if (typeof sent === 'boolean') return [String(sent)];
  if (Array.isArray(sent)) {
    // The messages of a chat have their text in `content`.
    const texts = sent.map((each) => (isJsonObject(each) && JOINED.test(name) ? each.content : each));
    if (!texts.length || !texts.every((each) => typeof each === 'string')) return [];
    // Keys that are pressed at the same time, and the pairs of a cookie.
    if (name === 'key') return [texts.join('+')];
    if (/^cookies?$/i.test(name)) return [texts.join('; ')];
    if (/^(code|script)$/.test(name)) return [texts.join('\n')];
    return texts.length === 1 || JOINED.test(name) ? [texts.join(' ')] : [];
  }
  if (!isJsonObject(sent)) return [];
  if (JOINED.test(name) && typeof sent.content === 'string') return [sent.content];
  const members = Object.entries(sent);
  if (/^cookies?$/i.test(name)) return [members.map((pair) => pair.join('=')).join('; ')];
  const texts = Object.values(sent).filter((each) => typeof each === 'string');
  if (/Paths$/.test(name)) return texts.length === 1 ? texts.map((text) => patternOfGlob(text) ?? text) : [];
  return texts.length === 1 ? texts : [];
}

/** A time relative to now: `yesterday`, `7d`, `2 hours ago`, `last week`. */
const RELATIVE =
  /^(?:(now|today)|(yesterday)|-?(?:last |past |now-)?(\d{1,4})?\s*(m|min|h|hr|d|w|hour|day|week|month|year)[a-z]*?(?: ago)?)$/i;
const DAY_MS = 86_400_000;
const RELATIVE_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  w: 7 * DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
};

/** A time as ISO 8601 has it, in whole seconds. */
const isoOf = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');

/** A time in ISO 8601 from a date, from the seconds or milliseconds since 1970, or from one relative to now. */
export function timesOf(text: string): string[] {
  const [, now, yesterday, amount = '1', unit = ''] = RELATIVE.exec(text.trim()) ?? [];
  if (now) return [isoOf(Date.now())];
  const agoMs = yesterday ? DAY_MS : Number(amount) * (RELATIVE_MS[unit.toLowerCase()] ?? 0);
  if (agoMs) return [isoOf(Date.now() - agoMs)];
  const date = text.trim().replace(' ', 'T');
  if (/^\d{4}-\d\d-\d\d$/.test(date)) return [`${date}T00:00:00Z`];
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(date))
    return [`${date.length === 16 ? `${date}:00` : date}Z`];
  const ms = /^\d{10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : undefined;
  return ms === undefined ? [] : [isoOf(ms)];
}
