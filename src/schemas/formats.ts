import { z } from 'zod';
import { FORMATS } from '../formats/index.ts';
import { promptText } from '../formats/json.ts';

/** The older form of the formats `question` and `highlights`, to which it is converted. */
const query = z.strictObject({
  type: z.literal('query'),
  prompt: promptText,
  mode: z.enum(['freeform', 'directQuote']).default('freeform').describe('question, or highlights'),
});

const requests = [...FORMATS.map((format) => format.request), query] as const;
const names = requests.map((request) => request.shape.type.value);

type Member = (typeof FORMATS)[number]['request'] | typeof query;

/** A requested format: an object with its `type`, or only the type if all other fields are optional. */
export const formatRequest = z
  .preprocess(
    (value) => (typeof value === 'string' ? { type: value } : value),
    // The union requires a tuple that is not empty, a type that `map()` does not preserve.
    z.discriminatedUnion('type', requests as unknown as [Member, ...Member[]], {
      error: (issue) =>
        issue.code === 'invalid_union'
          ? `unknown format ${JSON.stringify((issue.input as { type?: unknown } | undefined)?.type)}; known are ${names.join(', ')}`
          : undefined,
    }),
  )
  .transform((format) => (format.type === 'query' ? ofQuery(format) : format))
  .meta({
    description: 'A format; the bare name X means {type: X}.',
    override: ({ jsonSchema }) => {
      const object = { ...jsonSchema };
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      jsonSchema.anyOf = [{ type: 'string', enum: names }, object];
    },
  });

function ofQuery({ mode, prompt }: z.output<typeof query>) {
  return mode === 'freeform'
    ? { type: 'question' as const, question: prompt }
    : { type: 'highlights' as const, query: prompt };
}

/** A requested format after validation. */
export type FormatRequest = z.output<typeof formatRequest>;

/** Whether a request includes a format. */
export const asksFor = (formats: readonly { type: string }[], type: FormatRequest['type']) =>
  formats.some((format) => format.type === type);

/**
 * Checks which formats of one request exclude or require each other.
 * @returns one message for each violated rule
 */
export function formatConflicts(formats: FormatRequest[]): string[] {
  const count = (type: string) => formats.filter((format) => format.type === type).length;
  const conflicts = [];
  if (count('screenshot') > 1) conflicts.push('at most one screenshot format can be asked for');
  if (count('changeTracking') > 1) conflicts.push('at most one changeTracking format can be asked for');
  if (count('changeTracking') && !count('markdown')) {
    conflicts.push('the changeTracking format needs the markdown format beside it');
  }
  for (const type of ['json', 'deterministicJson', 'question', 'highlights']) {
    if (count(type) > 1) conflicts.push(`at most one ${type} format can be asked for`);
  }
  if (count('json') && count('deterministicJson')) {
    conflicts.push('json and deterministicJson cannot be asked for together');
  }
  if (count('rawBase64') && formats.length > 1) conflicts.push('rawBase64 must be the only format');
  return conflicts;
}
