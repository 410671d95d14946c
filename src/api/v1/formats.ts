import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { bounded } from '../../json/bounded.ts';
import { isJsonObject } from '../../json/json-object.ts';
import type { JsonName } from '../../schemas/scrape.ts';
import { knownMembers } from './known-members.ts';

/** The most formats of a request, and the most characters of those that are objects. */
const MAX_FORMATS = { entries: 50, characters: 500_000 };

/** Version 2 checks it, and bounds its size. */
const jsonSchema = z.custom<Record<string, unknown>>(
  isJsonObject,
  'must be a JSON Schema, which is an object',
);

const dataOptions = knownMembers({
  schema: jsonSchema.optional(),
  prompt: z.string().optional(),
  systemPrompt: z.string().optional(),
});

/** The options of version 1 that say which outputs a scrape has. */
export const formatFields = {
  formats: bounded(
    z.array(z.union([z.string(), z.looseObject({ type: z.string() })])),
    MAX_FORMATS,
  ).optional(),
  jsonOptions: dataOptions.optional(),
  extract: dataOptions.optional(),
  changeTrackingOptions: knownMembers({
    modes: z.array(z.string()).optional(),
    schema: jsonSchema.optional(),
    prompt: z.string().optional(),
    tag: z.string().optional(),
  }).optional(),
};

type FormatOptions = z.output<z.ZodObject<typeof formatFields>>;

/** A format of version 2. */
interface Format {
  type: string;
  [option: string]: unknown;
}

/**
 * Converts the outputs of a request of version 1 to formats of version 2, whose options are their members.
 * @returns the formats, unless the request leaves them to the default; and the names of its data, of which
 *   version 2 has one
 * @throws ServiceError `BAD_REQUEST` if data are asked for without a schema and a prompt
 */
export function translateFormats(options: FormatOptions): { formats?: Format[]; jsonNames?: JsonName[] } {
  const asked = listAsked(options);
  if (!asked) return {};
  const formats = new Map<string, Format>();
  const jsonNames = new Set<JsonName>();
  for (const each of asked) {
    if (each.type === 'json' || each.type === 'extract') jsonNames.add(each.type);
    const format = translateFormat(each, options);
    // A format is asked for once, with the members of all that stand for it.
    formats.set(format.type, { ...formats.get(format.type), ...format });
  }
  return { formats: [...formats.values()], ...(jsonNames.size > 0 && { jsonNames: [...jsonNames] }) };
}

/** Lists the formats of a request, with those of which it has only the options. */
function listAsked({ formats, jsonOptions, extract }: FormatOptions): Format[] | undefined {
  const named = formats?.map((format) => (typeof format === 'string' ? { type: format } : format));
  const byOptions = [...(jsonOptions ? [{ type: 'json' }] : []), ...(extract ? [{ type: 'extract' }] : [])];
  return named || byOptions.length ? [...(named ?? [{ type: 'markdown' }]), ...byOptions] : undefined;
}

function translateFormat(format: Format, options: FormatOptions): Format {
  switch (format.type) {
    case 'content':
      return { type: 'markdown' };
    case 'screenshot@fullPage':
      return { type: 'screenshot', fullPage: true };
    case 'changeTracking':
      return { ...options.changeTrackingOptions, ...format };
    case 'json':
      return jsonFormat(format, options.jsonOptions ?? options.extract);
    case 'extract':
      return jsonFormat(format, options.extract ?? options.jsonOptions);
    default:
      return format;
  }
}

/** The format of data of the page. The prompt of the system, which version 2 does not have, precedes the other. */
function jsonFormat({ type, ...own }: Format, options: z.output<typeof dataOptions> | undefined): Format {
  const { schema, prompt, systemPrompt } = { ...options, ...own };
  const prompts = [systemPrompt, prompt].filter((text) => text !== undefined);
  if (schema === undefined && !prompts.length)
    throw new ServiceError(
      'BAD_REQUEST',
      `Bad Request: formats has "${type}", but nothing says which data it has. Send ${type === 'json' ? 'jsonOptions' : type} with a schema or a prompt, such as {"prompt": "The name and price of the product"}.`,
    );
  return {
    type: 'json',
    ...(schema !== undefined && { schema }),
    ...(prompts.length > 0 && { prompt: prompts.join('\n\n') }),
  };
}
