import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { type ApiResponse, postJson } from '../api-client.ts';
import { parseWholeNumber } from '../arguments.ts';
import { withConnection } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { requireWritable, writeResult } from '../output-file.ts';

/** Not `as const`, because citty requires a mutable array. */
const SITEMAP_MODES = ['include', 'skip', 'only'];

const args = {
  url: { type: 'positional', description: 'URL of the site, or of a part of it', required: true },
  search: { type: 'string', valueHint: 'words', description: 'list the best matches first' },
  limit: { type: 'string', valueHint: 'n', description: 'maximum number of URLs' },
  sitemap: { type: 'enum', options: SITEMAP_MODES, description: 'how the sitemap is used' },
  subdomains: {
    type: 'boolean',
    description: 'include other hosts of the same domain',
    negativeDescription: 'only this host',
    default: true,
  },
  'ignore-query': {
    type: 'boolean',
    description: 'treat URLs that differ only in their query as one',
    negativeDescription: 'list URLs with their queries',
    default: true,
  },
  'ignore-robots': { type: 'boolean', description: 'list URLs that robots.txt disallows' },
  'ignore-cache': { type: 'boolean', description: 'read the sitemaps again' },
  timeout: { type: 'string', valueHint: 'ms', description: 'time limit of the request' },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result to this file' },
  json: { type: 'boolean', description: 'print the whole response' },
} as const;

/** `map`: prints the URLs of a site, one per line. */
export const mapCommand = defineCommand({
  meta: { name: 'map', description: 'list the URLs of a site' },
  args,
  async run({ args: values }) {
    const body = {
      url: values.url,
      search: values.search,
      limit: parseWholeNumber('limit', values.limit),
      sitemap: values.sitemap,
      includeSubdomains: values.subdomains,
      ignoreQueryParameters: values['ignore-query'],
      ignoreRobotsTxt: values['ignore-robots'],
      ignoreCache: values['ignore-cache'],
      timeout: parseWholeNumber('timeout', values.timeout, 'ms'),
      origin: 'cli',
    };
    requireWritable(values.output);
    const config = readConfig();
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    const response = await withConnection({ config, progress, interrupt }, (target) =>
      progress.step(`Mapping ${values.url}`, () => postJson(target, '/v2/map', body, interrupt.signal)),
    );
    if (typeof response.warning === 'string') progress.note(`Warning: ${response.warning}`);
    const text = values.json ? `${JSON.stringify(response, null, 2)}\n` : formatLinks(response);
    writeResult(text, values.output);
  },
});

function formatLinks({ links }: ApiResponse): string {
  const urls = Array.isArray(links) ? links.map((link) => fieldsOf(link).url) : [];
  return urls.map((url) => `${url}\n`).join('');
}
