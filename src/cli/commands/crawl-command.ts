import { defineCommand } from 'citty';
import { ServiceError } from '../../errors.ts';
import { collectValues, parseWholeNumber } from '../arguments.ts';
import { pageArgs, readScrapeOptions } from '../page-arguments.ts';
import { runPageJobCommand } from '../run-page-job.ts';

/** Not `as const`, because citty requires a mutable array. */
const SITEMAP_MODES = ['include', 'skip', 'only'];

const args = {
  url: { type: 'positional', description: 'URL where the crawl starts', required: true },
  limit: { type: 'string', valueHint: 'n', description: 'maximum number of pages' },
  'max-depth': {
    type: 'string',
    valueHint: 'n',
    description: 'maximum number of links between the start and a page',
  },
  include: {
    type: 'string',
    valueHint: 'regex',
    description: 'only pages whose path matches; may be repeated',
  },
  exclude: {
    type: 'string',
    valueHint: 'regex',
    description: 'skip pages whose path matches; may be repeated',
  },
  'entire-domain': { type: 'boolean', description: 'include pages outside the path of the start URL' },
  subdomains: { type: 'boolean', description: 'include other hosts of the same domain' },
  external: { type: 'boolean', description: 'include single pages of other sites' },
  sitemap: { type: 'enum', options: SITEMAP_MODES, description: 'how the sitemap is used' },
  'ignore-robots': { type: 'boolean', description: 'visit pages that robots.txt disallows' },
  delay: {
    type: 'string',
    valueHint: 's',
    description: 'seconds between two pages, which are then scraped one at a time',
  },
  prompt: { type: 'string', valueHint: 'text', description: 'what to crawl, in plain language' },
  ...pageArgs,
} as const;

/** `crawl`: scrapes a site, page by page. */
export const crawlCommand = defineCommand({
  meta: { name: 'crawl', description: 'scrape a site, page by page' },
  args,
  run({ args: values, rawArgs }) {
    const body = {
      url: values.url,
      prompt: values.prompt,
      limit: parseWholeNumber('limit', values.limit),
      maxDiscoveryDepth: parseWholeNumber('max-depth', values['max-depth']),
      includePaths: valuesOrUndefined(rawArgs, 'include'),
      excludePaths: valuesOrUndefined(rawArgs, 'exclude'),
      crawlEntireDomain: values['entire-domain'],
      allowSubdomains: values.subdomains,
      allowExternalLinks: values.external,
      sitemap: values.sitemap,
      ignoreRobotsTxt: values['ignore-robots'],
      delay: parseSeconds(values.delay),
      archive: values.archive,
      maxConcurrency: parseWholeNumber('concurrency', values.concurrency),
      scrapeOptions: readScrapeOptions(values),
      origin: 'cli',
    };
    return runPageJobCommand({
      noun: 'crawl',
      path: '/v2/crawl',
      args: values,
      async start({ post, note }) {
        const { id, promptGeneratedOptions } = await post(body);
        if (promptGeneratedOptions)
          note(`The prompt was interpreted as ${JSON.stringify(promptGeneratedOptions)}.`);
        return String(id);
      },
    });
  },
});

/** The values of a repeatable option; `undefined` when it is absent, so that a prompt may fill it. */
function valuesOrUndefined(rawArgs: string[], name: string): string[] | undefined {
  const values = collectValues(rawArgs, args, name);
  return values.length ? values : undefined;
}

function parseSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ServiceError('BAD_REQUEST', `--delay must be seconds such as 2 or 0.5, not '${text}'.`);
}
