import { z } from 'zod';
import { atLeastOne, withKeywords } from '../../json/schema-keywords.ts';
import { dataFields, dataValue, extractData, hasSchemaOrPrompt } from '../extraction/data-request.ts';
import type { DataSource } from './data-by-model.ts';
import { defineFormat } from './format.ts';

/** Data of the page, for a schema or a prompt. */
export const json = defineFormat({
  field: 'json',
  request: withKeywords(
    z
      .strictObject({
        type: z.literal('json'),
        ...dataFields,
        checkPromptInjection: z
          .boolean()
          .optional()
          .describe(
            'fail with SCRAPE_PROMPT_INJECTION_DETECTED if the page has instructions for language models; has no effect if no language model reads the page',
          ),
      })
      .refine(
        hasSchemaOrPrompt,
        'the json format needs a schema or a prompt. Write {"type":"json","schema":{"type":"object","properties":{"name":{"type":"string"}}}}',
      ),
    atLeastOne('schema', 'prompt'),
  ),
  value: dataValue,
  credits: 4,
  isUnique: true,
  excludes: ['deterministicJson'],
  ask: {
    feature: 'json',
    async prepare(content) {
      const { readDataSource } = await import('./data-by-model.ts');
      return readDataSource(content);
    },
    async ask(prepared, request, services) {
      // The value was returned by `prepare` above.
      const source = prepared as DataSource;
      if (request.checkPromptInjection) {
        const { refusePromptInjection } = await import('./prompt-injection.ts');
        await refusePromptInjection(source, services);
      }
      const { askForData } = await import('./data-by-model.ts');
      return askForData(source, request, { services, subject: 'json' });
    },
  },
  extract: (content, request, warn) => extractData(content, request, warn, 'json'),
});
