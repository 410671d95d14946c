import { z } from 'zod';
import { dataFields, dataValue, extractData, hasSchemaOrPrompt } from '../extraction/data-request.ts';
import { defineFormat } from './format.ts';

/** Data of the page, for a schema or a prompt. */
export const json = defineFormat({
  field: 'json',
  request: z
    .strictObject({
      type: z.literal('json'),
      ...dataFields,
      checkPromptInjection: z
        .boolean()
        .optional()
        .describe('has no effect if no language model reads the page'),
    })
    .refine(hasSchemaOrPrompt, 'the json format needs a schema or a prompt'),
  value: dataValue,
  credits: 4,
  isUnique: true,
  excludes: ['deterministicJson'],
  extract: (content, request, warn) => extractData(content, request, warn, 'json'),
});
