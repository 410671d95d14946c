import { z } from 'zod';
import { promptText } from '../content/extraction/data-request.ts';
import type { ConflictingOption } from '../content/formats/format.ts';
import { FORMATS, recordsOf } from '../content/formats/index.ts';
import { excerpt } from '../errors.ts';
import { fieldsOf } from '../json/json-object.ts';
import { withJsonSchema, withShorthand } from '../json/schema-keywords.ts';

/** The older form of the formats `question` and `highlights`, to which it is converted. */
const query = z.strictObject({
  type: z.literal('query'),
  prompt: promptText,
  mode: z.enum(['freeform', 'directQuote']).default('freeform').describe('question, or highlights'),
});

const requests = [...FORMATS.map((format) => format.request), query] as const;
const names = requests.map((request) => request.shape.type.value);

/** The formats that need nothing but their name. */
const bareNames = requests
  .filter((request) => request.safeParse({ type: request.shape.type.value }).success)
  .map((request) => request.shape.type.value);

type Member = (typeof FORMATS)[number]['request'] | typeof query;

/** A requested format: an object with its `type`, or only the type if all other fields are optional. */
export const formatRequest = withShorthand(
  z
    .preprocess(
      (value) => (typeof value === 'string' ? { type: value } : value),
      // The union requires a tuple that is not empty, a type that `map()` does not preserve.
      z.discriminatedUnion('type', requests as unknown as [Member, ...Member[]], {
        error: (issue) =>
          issue.code === 'invalid_union'
            ? `unknown format ${excerpt(String(JSON.stringify((issue.input as { type?: unknown } | undefined)?.type)))}; known are ${names.join(', ')}`
            : undefined,
      }),
    )
    .transform((format) => (format.type === 'query' ? convertQuery(format) : format))
    .describe('A format. A string X is short for {type: X}, where no other member is needed.'),
  { enum: bareNames },
);

function convertQuery({ mode, prompt }: z.output<typeof query>) {
  return mode === 'freeform'
    ? { type: 'question' as const, question: prompt }
    : { type: 'highlights' as const, query: prompt };
}

/** A requested format whose description lacks some formats, which a rule of the code refuses. */
export const formatRequestWithout = (refused: ReadonlySet<string>): typeof formatRequest =>
  withJsonSchema(formatRequest, (jsonSchema) => {
    // `formatRequest` has this form: a string, or one of the objects.
    const [strings, objects] = jsonSchema.anyOf as [{ enum: string[] }, { oneOf: unknown[] }];
    const typeOf = (object: unknown) => String(fieldsOf(fieldsOf(fieldsOf(object).properties).type).const);
    jsonSchema.anyOf = [
      { ...strings, enum: strings.enum.filter((name) => !refused.has(name)) },
      { ...objects, oneOf: objects.oneOf.filter((object) => !refused.has(typeOf(object))) },
    ];
  });

/** A requested format after validation. */
export type FormatRequest = z.output<typeof formatRequest>;

/**
 * Checks which formats of one request exclude or require each other.
 * @returns one message for each violated rule
 */
export function formatConflicts(formats: FormatRequest[]): string[] {
  const types = formats.map(({ type }) => type as string);
  const conflicts = recordsOf(formats).flatMap(({ format, request: { type } }) => [
    ...(format.isUnique && types.filter((each) => each === type).length > 1
      ? [`at most one ${type} format is allowed`]
      : []),
    ...(format.requires ?? [])
      .filter((required) => !types.includes(required))
      .map((required) => `the ${type} format requires the ${required} format in the same request`),
    ...(format.excludes ?? [])
      .filter((excluded) => types.includes(excluded))
      .map((excluded) => `the formats ${type} and ${excluded} cannot be combined`),
    ...(format.isExclusive && types.length > 1 ? [`${type} must be the only format`] : []),
  ]);
  return [...new Set(conflicts)];
}

/**
 * Lists the messages of formats that exclude an option, without repetitions.
 * @param option an option that the request contains
 */
export function optionConflicts(formats: readonly { type: string }[], option: ConflictingOption): string[] {
  return [...new Set(recordsOf(formats).flatMap(({ format }) => format.conflicts?.[option] ?? []))];
}
