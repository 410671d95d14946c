import type { z } from 'zod';
import { literalsOf, type Plain, requiredKeys, shapeOf, unwrap } from './request-schema.ts';

/** The most characters of a value that an example repeats. */
const MAX_REPEATED = 100;

/** Values of options that have no better example: neither of their own nor from what was sent. */
const EXAMPLES: Record<string, unknown> = {
  url: 'https://example.com',
  urls: ['https://example.com'],
  prompt: 'The names and prices of all products',
  query: 'opening hours of the museum',
  code: 'await page.title()',
  question: 'What does the article conclude?',
  schema: { type: 'object', properties: { price: { type: 'number' } } },
};

/**
 * Makes an example of what a value must be, as JSON. Where it can, it is what was sent in the right form: in a
 * list, as a member of the object, or without quotes.
 * @param sent the wrong value
 * @returns an empty string if there is no helpful example
 */
export function exampleFor(plains: readonly Plain[], sent: unknown): string {
  const isNamed = ({ schema: { _zod } }: Plain) =>
    _zod.def.type === 'object' &&
    Boolean(_zod.def.shape.type && literalsOf(_zod.def.shape.type).includes(sent));
  const plain = plains.find(isNamed) ?? plains[0];
  const example = plain && convert(plain, sent);
  return example === undefined ? '' : JSON.stringify(example);
}

/** An example of the member of an object, from its name and its schema; undefined if there is none. */
export function exampleOf(name: string, schema: z.core.$ZodType): unknown {
  if (Object.hasOwn(EXAMPLES, name)) return EXAMPLES[name];
  const [literal] = literalsOf(schema);
  if (literal !== undefined) return literal;
  const kinds = unwrap(schema).map((plain) => plain.schema._zod.def.type);
  if (kinds.includes('array')) return [];
  if (kinds.includes('object')) return exampleBody(schema);
  if (kinds.includes('number')) return 1;
  return kinds.includes('boolean') ? true : '…';
}

/** The smallest object that a schema may accept. */
export function exampleBody(schema: z.core.$ZodType): Record<string, unknown> {
  const shape = shapeOf(unwrap(schema));
  return Object.fromEntries(requiredKeys(shape).map((key) => [key, exampleOf(key, shape[key]!)]));
}

/** Brings what was sent into the form of a schema. */
function convert({ schema }: Plain, sent: unknown): unknown {
  const { def } = schema._zod;
  const text = typeof sent === 'string' && sent.length <= MAX_REPEATED ? sent.trim() : undefined;
  switch (def.type) {
    case 'array':
      return text ? [text] : undefined;
    case 'number':
      return text && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return /^(true|1|yes|on)$/i.test(text ?? '')
        ? true
        : /^(false|0|no|off)$/i.test(text ?? '')
          ? false
          : undefined;
    case 'record':
      return headersOf(sent) ?? { name: 'value' };
    case 'object':
      return objectOf(schema, text);
    default:
      return undefined;
  }
}

/** Reads lines such as `Cookie: a=b` as an object. */
function headersOf(sent: unknown): Record<string, string> | undefined {
  const [line] = Array.isArray(sent) ? sent : [sent];
  const match = typeof line === 'string' && line.length <= MAX_REPEATED && /^([\w-]+):\s*(.+)$/.exec(line);
  return match ? { [match[1]!]: match[2]! } : undefined;
}

/** The smallest object of a schema, with the text in place of its first member that is a string. */
function objectOf(schema: z.core.$ZodType, text: string | undefined): unknown {
  const shape = shapeOf(unwrap(schema));
  const required = exampleBody(schema);
  if (text && literalsOf(shape.type ?? schema).includes(text)) return { ...required, type: text };
  const name = [...Object.keys(required), ...Object.keys(shape)].find((key) =>
    unwrap(shape[key]!).some((plain) => plain.schema._zod.def.type === 'string'),
  );
  return name ? { ...required, [name]: text || '…' } : required;
}
