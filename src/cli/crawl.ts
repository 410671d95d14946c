import { defineCommand } from 'citty';
import { ServiceError } from '../errors.ts';
import { allValues, numberOf } from './arguments.ts';
import { runPageJob } from './page-job.ts';
import { pageArgs, scrapeOptionsOf } from './page-options.ts';

/** Not constant: citty asks for a list that could be changed. */
const SITEMAP_USES = ['include', 'skip', 'only'];

const args = {
  url: { type: 'positional', description: 'where the crawl starts', required: true },
  limit: { type: 'string', valueHint: 'n', description: 'most pages' },
  'max-depth': { type: 'string', valueHint: 'n', description: 'most links between the start and a page' },
  include: {
    type: 'string',
    valueHint: 'regex',
    description: 'only pages whose path it matches; may be repeated',
  },
  exclude: {
    type: 'string',
    valueHint: 'regex',
    description: 'no pages whose path it matches; may be repeated',
  },
  'entire-domain': { type: 'boolean', description: 'also pages that are not below the path of the start' },
  subdomains: { type: 'boolean', description: 'also other hosts of the same domain' },
  external: { type: 'boolean', description: 'also single pages of other sites' },
  sitemap: { type: 'enum', options: SITEMAP_USES, description: 'where pages are found' },
  'ignore-robots': { type: 'boolean', description: 'go where robots.txt asks not to' },
  delay: { type: 'string', valueHint: 's', description: 'between two pages, which then come one by one' },
  prompt: { type: 'string', valueHint: 'text', description: 'what to crawl, in words' },
  ...pageArgs,
} as const;

/** `crawl`: a site, page after page. */
export const crawlCommand = defineCommand({
  meta: { name: 'crawl', description: 'scrape a site, page after page' },
  args,
  run({ args: given, rawArgs }) {
    const body = {
      url: given.url,
      prompt: given.prompt,
      limit: numberOf('limit', given.limit),
      maxDiscoveryDepth: numberOf('max-depth', given['max-depth']),
      includePaths: givenValues(rawArgs, 'include'),
      excludePaths: givenValues(rawArgs, 'exclude'),
      crawlEntireDomain: given['entire-domain'],
      allowSubdomains: given.subdomains,
      allowExternalLinks: given.external,
      sitemap: given.sitemap,
      ignoreRobotsTxt: given['ignore-robots'],
      delay: secondsOf(given.delay),
      maxConcurrency: numberOf('concurrency', given.concurrency),
      scrapeOptions: scrapeOptionsOf(given),
      origin: 'cli',
    };
    return runPageJob({
      noun: 'crawl',
      path: '/v2/crawl',
      given,
      async start({ post, note }) {
        const { id, promptGeneratedOptions } = await post(body);
        if (promptGeneratedOptions) note(`The prompt gave ${JSON.stringify(promptGeneratedOptions)}.`);
        return String(id);
      },
    });
  },
});

/** What an option was given; `undefined` where it was not, so that a prompt may fill it. */
function givenValues(rawArgs: string[], name: string): string[] | undefined {
  const values = allValues(rawArgs, args, name);
  return values.length ? values : undefined;
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ServiceError('BAD_REQUEST', `--delay must be seconds such as 2 or 0.5, not '${text}'.`);
}
