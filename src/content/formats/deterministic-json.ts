import { z } from 'zod';
import { atLeastOne, withKeywords } from '../../json/schema-keywords.ts';
import { dataFields, dataValue, extractData, hasSchemaOrPrompt } from '../extraction/data-request.ts';
import { defineFormat } from './format.ts';

/** Data of the page, extracted by rules alone, so that the same page always gives the same result. */
export const deterministicJson = defineFormat({
  field: 'json',
  request: withKeywords(
    z
      .strictObject({ type: z.literal('deterministicJson'), ...dataFields })
      .refine(
        hasSchemaOrPrompt,
        'the deterministicJson format needs a schema or a prompt. Write {"type":"deterministicJson","schema":{"type":"object","properties":{"name":{"type":"string"}}}}',
      ),
    atLeastOne('schema', 'prompt'),
  ),
  value: dataValue,
  // The price of reusing an extraction script: fixed rules take the place of a generated script.
  credits: 2,
  keepsData: true,
  isUnique: true,
  run: (content, request, warn) => extractData(content, request, warn, 'json'),
});
