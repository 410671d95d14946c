import { listOf, numberOf } from './arguments.ts';

/** What a page is turned into. */
export const formatsArg = {
  type: 'string',
  alias: 'f',
  valueHint: 'a,b',
  description: 'outputs: markdown, html, rawHtml, links, …',
  default: 'markdown',
} as const;

/** Arguments of the verbs whose jobs have many pages: how each page is scraped, and where the results go. */
export const pageArgs = {
  formats: formatsArg,
  'only-main-content': {
    type: 'boolean',
    description: 'without headers, navigation and footers',
    negativeDescription: 'the whole pages',
    default: true,
  },
  'wait-for': { type: 'string', valueHint: 'ms', description: 'wait before a page is read' },
  timeout: { type: 'string', valueHint: 'ms', description: 'for each page' },
  'max-age': {
    type: 'string',
    valueHint: 'ms',
    description: 'use cached copies younger than this; 0 is never',
  },
  concurrency: { type: 'string', valueHint: 'n', description: 'most pages at once' },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the results there' },
  json: { type: 'boolean', description: 'one JSON object of everything, not a document a line' },
  detach: { type: 'boolean', description: 'start the job, print its id, and leave' },
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

/** The scrape options of a request that they say. */
export function scrapeOptionsOf(given: PageArgs) {
  return {
    formats: listOf(given.formats) ?? [],
    onlyMainContent: given['only-main-content'],
    waitFor: numberOf('wait-for', given['wait-for']),
    timeout: numberOf('timeout', given.timeout),
    maxAge: numberOf('max-age', given['max-age']),
  };
}
