import { writeFileSync } from 'node:fs';
import { defineCommand } from 'citty';
import { readConfig } from '../config.ts';
import { openProgress } from '../embedded/progress.ts';
import { numberOf } from './arguments.ts';
import { onInterrupt } from './interrupt.ts';
import { type Answer, postJson, recordOf } from './request.ts';
import { withTarget } from './target.ts';

/** Not constant: citty asks for a list that could be changed. */
const SITEMAP_USES = ['include', 'skip', 'only'];

const args = {
  url: { type: 'positional', description: 'address of the site, or of a part of it', required: true },
  search: { type: 'string', valueHint: 'words', description: 'the most fitting addresses first' },
  limit: { type: 'string', valueHint: 'n', description: 'most addresses' },
  sitemap: { type: 'enum', options: SITEMAP_USES, description: 'where addresses are found' },
  subdomains: {
    type: 'boolean',
    description: 'also other hosts of the same domain',
    negativeDescription: 'this host alone',
    default: true,
  },
  'ignore-query': {
    type: 'boolean',
    description: 'addresses that differ in their query are the same',
    negativeDescription: 'addresses with their queries',
    default: true,
  },
  'ignore-robots': { type: 'boolean', description: 'list what robots.txt asks not to visit' },
  'ignore-cache': { type: 'boolean', description: 'read sitemaps anew' },
  timeout: { type: 'string', valueHint: 'ms', description: 'for the whole request' },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result there' },
  json: { type: 'boolean', description: 'print the whole answer' },
} as const;

/** `map`: the addresses of a site, one a line. */
export const mapCommand = defineCommand({
  meta: { name: 'map', description: 'list the addresses of a site' },
  args,
  async run({ args: given }) {
    const body = {
      url: given.url,
      search: given.search,
      limit: numberOf('limit', given.limit),
      sitemap: given.sitemap,
      includeSubdomains: given.subdomains,
      ignoreQueryParameters: given['ignore-query'],
      ignoreRobotsTxt: given['ignore-robots'],
      ignoreCache: given['ignore-cache'],
      timeout: numberOf('timeout', given.timeout),
      origin: 'cli',
    };
    const config = readConfig();
    const progress = openProgress();
    const interrupt = onInterrupt(progress.note);
    const answer = await withTarget({ config, progress, interrupt }, (target) =>
      progress.step(`Mapping ${given.url}`, () => postJson(target, '/v2/map', body, interrupt.signal)),
    );
    if (typeof answer.warning === 'string') progress.note(`Warning: ${answer.warning}`);
    const text = given.json ? `${JSON.stringify(answer, null, 2)}\n` : addressLines(answer);
    if (given.output) writeFileSync(given.output, text);
    else process.stdout.write(text);
  },
});

function addressLines({ links }: Answer): string {
  const addresses = Array.isArray(links) ? links.map((link) => recordOf(link).url) : [];
  return addresses.map((address) => `${address}\n`).join('');
}
