import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { type ApiResponse, postJson } from '../api-client.ts';
import { parseList, parseWholeNumber } from '../arguments.ts';
import { withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { requireWritable, writeResult } from '../output-file.ts';

const args = {
  query: { type: 'positional', description: 'words to search for', required: true },
  limit: { type: 'string', valueHint: 'n', description: 'maximum number of results of each source' },
  sources: { type: 'string', valueHint: 'a,b', description: 'web, news, images' },
  categories: { type: 'string', valueHint: 'a,b', description: 'github, research, pdf, developer' },
  'include-domains': { type: 'string', valueHint: 'hosts', description: 'results of these hosts only' },
  'exclude-domains': { type: 'string', valueHint: 'hosts', description: 'no results of these hosts' },
  tbs: {
    type: 'string',
    valueHint: 'qdr:w',
    description: 'results of the last hour, day, week, month or year: qdr:h, qdr:d, qdr:w, qdr:m, qdr:y',
  },
  formats: {
    type: 'string',
    alias: 'f',
    valueHint: 'a,b',
    description: 'scrape the results in these formats',
  },
  timeout: { type: 'string', valueHint: 'ms', description: 'time limit of the request' },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result to this file' },
  json: { type: 'boolean', description: 'print the whole response' },
} as const;

/** `search`: prints results with title, URL and description; with formats, the whole response. */
export const searchCommand = defineCommand({
  meta: { name: 'search', description: 'search the web, or the pages scraped before' },
  args,
  async run({ args: values }) {
    const formats = parseList(values.formats);
    const body = {
      query: values.query,
      limit: parseWholeNumber('limit', values.limit),
      sources: parseList(values.sources),
      categories: parseList(values.categories),
      includeDomains: parseList(values['include-domains']),
      excludeDomains: parseList(values['exclude-domains']),
      tbs: values.tbs,
      timeout: parseWholeNumber('timeout', values.timeout, 'ms'),
      ...(formats && { scrapeOptions: { formats } }),
      origin: 'cli',
    };
    requireWritable(values.output);
    const config = readConfig();
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const response = await withConnection({ config, progress, interrupt }, (target) =>
      progress.step(`Searching for ${values.query}`, () =>
        postJson(target, '/v2/search', body, interrupt.signal),
      ),
    );
    if (typeof response.warning === 'string') progress.note(`Warning: ${response.warning}`);
    const text = values.json || formats ? `${JSON.stringify(response, null, 2)}\n` : formatResults(response);
    writeResult(text, values.output);
  },
});

/** Three lines for each result, and an empty one after it. */
function formatResults({ data }: ApiResponse): string {
  return Object.values(fieldsOf(data))
    .flatMap((results) => (Array.isArray(results) ? results : []))
    .map(fieldsOf)
    .map(({ title, url, description, snippet, imageUrl }) =>
      [title, imageUrl ?? url, description ?? snippet].filter(Boolean).join('\n'),
    )
    .map((result) => `${result}\n\n`)
    .join('');
}
