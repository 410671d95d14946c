import { writeFileSync } from 'node:fs';
import { defineCommand } from 'citty';
import { readConfig } from '../config.ts';
import { openProgress } from '../embedded/progress.ts';
import { ServiceError } from '../errors.ts';
import { allValues, listOf, numberOf } from './arguments.ts';
import { onInterrupt } from './interrupt.ts';
import { formatsArg } from './page-options.ts';
import { type Answer, postJson } from './request.ts';
import { withTarget } from './target.ts';

const args = {
  url: { type: 'positional', description: 'address of the page', required: true },
  formats: formatsArg,
  'only-main-content': {
    type: 'boolean',
    description: 'without headers, navigation and footers',
    negativeDescription: 'the whole page',
    default: true,
  },
  'include-tags': {
    type: 'string',
    valueHint: 'selectors',
    description: 'comma-separated CSS selectors; only what they match',
  },
  'exclude-tags': {
    type: 'string',
    valueHint: 'selectors',
    description: 'comma-separated CSS selectors of what is dropped',
  },
  'wait-for': { type: 'string', valueHint: 'ms', description: 'wait before the page is read' },
  timeout: { type: 'string', valueHint: 'ms', description: 'for the whole request' },
  mobile: { type: 'boolean', description: 'emulate a mobile device' },
  'max-age': {
    type: 'string',
    valueHint: 'ms',
    description: 'use a cached copy younger than this; 0 is never',
  },
  header: {
    type: 'string',
    alias: 'H',
    valueHint: 'name:value',
    description: 'sent with the request; may be repeated',
  },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result there' },
  json: { type: 'boolean', description: 'print the whole answer' },
} as const;

/** `scrape`: one page, its only format as it is, several as JSON. */
export const scrapeCommand = defineCommand({
  meta: { name: 'scrape', description: 'get a page as markdown, HTML, links, …' },
  args,
  async run({ args: given, rawArgs }) {
    const formats = listOf(given.formats) ?? [];
    const body = {
      url: given.url,
      formats,
      onlyMainContent: given['only-main-content'],
      includeTags: listOf(given['include-tags']),
      excludeTags: listOf(given['exclude-tags']),
      waitFor: numberOf('wait-for', given['wait-for']),
      timeout: numberOf('timeout', given.timeout),
      mobile: given.mobile,
      maxAge: numberOf('max-age', given['max-age']),
      headers: headersOf(allValues(rawArgs, args, 'header')),
      origin: 'cli',
    };
    const config = readConfig();
    const progress = openProgress();
    const interrupt = onInterrupt(progress.note);
    const answer = await withTarget({ config, progress, interrupt }, (target) =>
      progress.step(`Scraping ${given.url}`, () => postJson(target, '/v2/scrape', body, interrupt.signal)),
    );
    warnings(answer).forEach(progress.note);
    const text = resultText(answer, formats, given.json ?? false);
    if (given.output) writeFileSync(given.output, text);
    else process.stdout.write(text);
  },
});

function headersOf(lines: string[]): Record<string, string> | undefined {
  if (!lines.length) return undefined;
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1)
      throw new ServiceError('BAD_REQUEST', `--header must look like 'name: value', not '${line}'.`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

/** The whole answer, the document, or the one format that was asked for; always with a line end. */
export function resultText(answer: Answer, formats: string[], whole: boolean): string {
  const data = recordOf(answer.data);
  const only = formats.length === 1 && formats[0] !== undefined ? data[formats[0]] : undefined;
  const result = whole ? answer : (only ?? data);
  const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** What a person should know beside the result. */
function warnings(answer: Answer): string[] {
  const { warning, metadata } = recordOf(answer.data);
  const { statusCode, error } = recordOf(metadata);
  const failed = typeof statusCode === 'number' && statusCode >= 400;
  return [
    ...(typeof warning === 'string' ? [`Warning: ${warning}`] : []),
    ...(failed
      ? [`Warning: the page answered ${statusCode}${typeof error === 'string' ? ` (${error})` : ''}.`]
      : []),
  ];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
