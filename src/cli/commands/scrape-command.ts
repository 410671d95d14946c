import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { sendRequest } from '../api-client.ts';
import { collectValues, parseList, parseWholeNumber } from '../arguments.ts';
import { withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { sendForDocument } from '../long-document.ts';
import { requireWritable, writeResult } from '../output-file.ts';
import { formatsArg, selectorArgs } from '../page-arguments.ts';
import { formatResult, listWarnings } from '../scrape-output.ts';

const args = {
  url: { type: 'positional', description: 'URL of the page', required: true },
  formats: formatsArg,
  'only-main-content': {
    type: 'boolean',
    description: 'leave out headers, navigation and footers',
    negativeDescription: 'keep the whole page',
    default: true,
  },
  ...selectorArgs,
  'wait-for': { type: 'string', valueHint: 'ms', description: 'wait before the page is read' },
  timeout: { type: 'string', valueHint: 'ms', description: 'time limit of the request' },
  mobile: { type: 'boolean', description: 'emulate a mobile device' },
  'max-age': {
    type: 'string',
    valueHint: 'ms',
    description: 'use a cached copy younger than this; 0 disables the cache',
  },
  header: {
    type: 'string',
    alias: 'H',
    valueHint: 'name:value',
    description: 'header of the request; may be repeated',
  },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result to this file' },
  json: { type: 'boolean', description: 'print the whole response' },
} as const;

/** `scrape`: prints one page, a single format as it is and several formats as JSON. */
export const scrapeCommand = defineCommand({
  meta: { name: 'scrape', description: 'get a page as markdown, HTML, links, …' },
  args,
  async run({ args: values, rawArgs }) {
    const formats = parseList(values.formats) ?? [];
    const body = {
      url: values.url,
      formats,
      onlyMainContent: values['only-main-content'],
      includeTags: parseList(values['include-tags']),
      excludeTags: parseList(values['exclude-tags']),
      waitFor: parseWholeNumber('wait-for', values['wait-for'], 'ms'),
      timeout: parseWholeNumber('timeout', values.timeout, 'ms'),
      mobile: values.mobile,
      maxAge: parseWholeNumber('max-age', values['max-age'], 'ms'),
      headers: parseHeaders(collectValues(rawArgs, args, 'header')),
      origin: 'cli',
    };
    requireWritable(values.output);
    const config = readConfig();
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const request = { method: 'POST', path: '/v2/scrape', body } as const;
    const response = await withConnection({ config, progress, interrupt }, (target) =>
      progress.step(`Scraping ${values.url}`, () =>
        values.timeout === undefined
          ? sendForDocument(target, request, { signal: interrupt.signal, note: progress.note })
          : sendRequest(target, request, interrupt.signal),
      ),
    );
    listWarnings(response).forEach(progress.note);
    const text = formatResult(response, formats, values.json ?? false);
    writeResult(text, values.output);
  },
});

function parseHeaders(lines: string[]): Record<string, string> | undefined {
  if (!lines.length) return undefined;
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1)
      throw new ServiceError('BAD_REQUEST', `--header must look like 'name: value', not '${line}'.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs);
}
