import { parseList, parseWholeNumber } from './arguments.ts';

/** The argument for output formats. */
export const formatsArg = {
  type: 'string',
  alias: 'f',
  valueHint: 'a,b',
  description: 'output formats: markdown, html, rawHtml, links, …',
  default: 'markdown',
} as const;

/** The arguments for the elements of a page or file to keep and to remove. */
export const selectorArgs = {
  'include-tags': {
    type: 'string',
    valueHint: 'selectors',
    description: 'comma-separated CSS selectors of the elements to keep',
  },
  'exclude-tags': {
    type: 'string',
    valueHint: 'selectors',
    description: 'comma-separated CSS selectors of the elements to remove',
  },
} as const;

/** Arguments of commands whose jobs have many pages: how each page is scraped, and where the results go. */
export const pageArgs = {
  formats: formatsArg,
  'only-main-content': {
    type: 'boolean',
    description: 'leave out headers, navigation and footers',
    negativeDescription: 'keep whole pages',
    default: true,
  },
  'wait-for': { type: 'string', valueHint: 'ms', description: 'wait before a page is read' },
  timeout: { type: 'string', valueHint: 'ms', description: 'time limit of each page' },
  'max-age': {
    type: 'string',
    valueHint: 'ms',
    description: 'use cached copies younger than this; 0 disables the cache',
  },
  archive: {
    type: 'boolean',
    description: 'keep the responses of the sites, to export them as a web archive',
  },
  concurrency: { type: 'string', valueHint: 'n', description: 'maximum number of pages at a time' },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the results to this file' },
  json: { type: 'boolean', description: 'print one JSON object instead of one document per line' },
  detach: { type: 'boolean', description: 'start the job, print its id, and exit' },
} as const;

/** The values of {@link pageArgs}. */
export interface PageArgs {
  formats: string;
  'only-main-content': boolean;
  'wait-for'?: string | undefined;
  timeout?: string | undefined;
  'max-age'?: string | undefined;
  output?: string | undefined;
  json?: boolean | undefined;
  detach?: boolean | undefined;
}

/** Converts the arguments to the scrape options of a request. */
export function readScrapeOptions(args: PageArgs) {
  return {
    formats: parseList(args.formats) ?? [],
    onlyMainContent: args['only-main-content'],
    waitFor: parseWholeNumber('wait-for', args['wait-for'], 'ms'),
    timeout: parseWholeNumber('timeout', args.timeout, 'ms'),
    maxAge: parseWholeNumber('max-age', args['max-age'], 'ms'),
  };
}
