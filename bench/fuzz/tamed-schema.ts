import { fieldsOf, isJsonObject } from '../../src/json/json-object.ts';
import type { JsonSchema } from '../../test/support/schemas/values-of-schema.ts';

/** The largest values of options that make a request take long, in the unit of the option. */
const MOST: Record<string, number> = {
  waitFor: 50,
  milliseconds: 50,
  delay: 0.05,
  limit: 10,
  maxDiscoveryDepth: 2,
  ttl: 60,
  activityTtl: 30,
};
/** The largest timeouts: in milliseconds where the smallest one is a second, otherwise in seconds. */
const MOST_TIMEOUT = { ms: 5_000, seconds: 5 };

const isUrl = (name: string, { type, format }: JsonSchema) =>
  type === 'string' && (format === 'uri' || /^urls?$/i.test(name));

/**
 * Changes a schema of requests so that they stay on the pages of one site and do not take long.
 * @param name the name of the member that the schema is of
 * @param urls pages, of which each URL is one
 */
export function tame(schema: unknown, urls: readonly string[], name = ''): unknown {
  if (Array.isArray(schema)) return schema.map((each) => tame(each, urls, name));
  if (!isJsonObject(schema)) return schema;
  if (isUrl(name, schema)) return { type: 'string', enum: urls };
  const members = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    keyword === 'properties'
      ? Object.fromEntries(
          Object.entries(fieldsOf(value)).map(([member, each]) => [member, tame(each, urls, member)]),
        )
      : tame(value, urls, name),
  ]);
  return withMost(name, Object.fromEntries(members));
}

function withMost(name: string, schema: JsonSchema): JsonSchema {
  const { type, minimum = 0, maximum = Infinity } = schema;
  if (type !== 'integer' && type !== 'number') return schema;
  const least = Number(minimum);
  const most = name === 'timeout' ? (least >= 1_000 ? MOST_TIMEOUT.ms : MOST_TIMEOUT.seconds) : MOST[name];
  if (most === undefined) return schema;
  return { ...schema, maximum: Math.min(Number(maximum), Math.max(least, most)) };
}
