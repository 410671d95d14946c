import { defineCommand } from 'citty';
import { parseList, parseWholeNumber } from '../arguments.ts';
import { readSchema, runAgent, runArguments } from '../run-agent.ts';

const args = {
  urls: {
    type: 'positional',
    description: 'URLs of the pages, separated by commas; one that ends in /* is a site',
    required: true,
  },
  prompt: { type: 'string', valueHint: 'text', description: 'the data to extract; needs a language model' },
  limit: { type: 'string', valueHint: 'n', description: 'maximum number of pages of each site' },
  sources: { type: 'boolean', description: 'with --json, also list where each value is from' },
  ...runArguments,
} as const;

/** `extract`: prints the data that pages have for a schema or prompt. */
export const extractCommand = defineCommand({
  meta: { name: 'extract', description: 'extract data from pages and sites' },
  args,
  async run({ args: { output, json, ...values } }) {
    const body = {
      urls: parseList(values.urls),
      prompt: values.prompt,
      schema: readSchema(values.schema),
      limit: parseWholeNumber('limit', values.limit),
      showSources: values.sources,
    };
    await runAgent({ path: '/v2/extract', name: 'The extract', body, output, json });
  },
});
