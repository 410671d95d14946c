import type { CheckTask } from '../../content/extraction/check-data.ts';
import type { CheckedResponse } from '../../content/language-model.ts';

type Schema = Record<string, unknown>;

/** The result of a run. */
export interface Answer {
  data: unknown;
  /** URLs of the pages that the data is from. */
  sources: string[];
  /** How the data was found, and what is missing. */
  warning?: string | undefined;
}

/**
 * Creates the schema of the input of the tool `answer`, in which definitions keep the place that references
 * name.
 */
export function answerSchema(schema: Schema = {}): Schema {
  const { $schema: _, $defs, definitions, ...data } = schema;
  return {
    type: 'object',
    properties: {
      data: Object.keys(data).length > 0 ? data : { description: 'the result: text, or an object' },
      sources: {
        type: 'array',
        items: { type: 'string' },
        description: 'URLs of the opened pages that the data is from',
      },
    },
    required: ['data', 'sources'],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}

/** Faults that the model is told at once. */
const MAX_FAULTS = 10;

/**
 * Checks data against a schema. The patterns of a user may take long, so the service does that in a thread.
 */
export type CheckData = (task: CheckTask) => Promise<CheckedResponse>;

/**
 * Checks the data of an answer against the schema of the user. Members that the schema does not declare are
 * removed.
 * @returns the data, or a sentence for the model about what is wrong
 */
export async function checkAnswer(
  data: unknown,
  schema: Schema | undefined,
  checkData: CheckData,
): Promise<{ data: unknown } | { fault: string }> {
  const value = unwrapText(data, schema);
  if (value === undefined || value === null) return { fault: 'The answer has no data.' };
  if (schema === undefined) return { data: value };
  const checked = await checkData({ schema, value });
  if (checked.faults.length === 0) return { data: checked.value };
  const faults = checked.faults.slice(0, MAX_FAULTS).join(' ').slice(0, 1_500);
  return { fault: `The data does not fit the schema: ${faults} Call answer again.` };
}

/** Parses data that a model wrote as text although the schema wants an object. */
function unwrapText(data: unknown, schema: Schema | undefined): unknown {
  if (typeof data !== 'string' || schema === undefined || schema.type === 'string') return data;
  try {
    return JSON.parse(data);
  } catch {
    // It is checked as the text that it is.
    return data;
  }
}
