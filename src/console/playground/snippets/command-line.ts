import { shellWord } from './shell.ts';
import type { SnippetRequest } from './snippet.ts';

/** How a member of a body is typed; undefined if the command line cannot say it. */
type Typed = (value: unknown) => string[] | undefined;

const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';
/** Lists are typed with commas between their entries, which must not contain any. */
const joined = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && !/[,\n]/.test(each))
    ? value.join(',')
    : undefined;

/** `--flag=value`, so that a value may begin with a hyphen. */
const text =
  (flag: string): Typed =>
  (value) =>
    isText(value) ? [`--${flag}=${value}`] : undefined;
const list =
  (flag: string): Typed =>
  (value) =>
    text(flag)(joined(value));
const repeated =
  (flag: string): Typed =>
  (value) =>
    Array.isArray(value) ? value.map((each) => `--${flag}=${each}`) : undefined;
const toggle =
  (flag: string): Typed =>
  (value) => [`--${value ? '' : 'no-'}${flag}`];
const word: Typed = (value) => (isText(value) ? [String(value)] : undefined);
const words: Typed = (value) => (Array.isArray(value) ? value.map(String) : undefined);
const headers: Typed = (value) =>
  Object.entries(value ?? {}).map(([name, content]) => `--header=${name}: ${content}`);
const profile: Typed = (value) => text('profile')((value as { name?: unknown }).name);

const PAGE: Record<string, Typed> = {
  formats: list('formats'),
  onlyMainContent: toggle('only-main-content'),
  waitFor: text('wait-for'),
  timeout: text('timeout'),
  maxAge: text('max-age'),
};
const FILTERS: Record<string, Typed> = {
  includeTags: list('include-tags'),
  excludeTags: list('exclude-tags'),
};
const scrapeOptions =
  (known: Record<string, Typed>): Typed =>
  (value) => {
    const typed = Object.entries(value ?? {}).map(([name, each]) => known[name]?.(each));
    return typed.every((each) => each !== undefined) ? typed.flat() : undefined;
  };

/** The commands by the path of their route: what they are called, and how they take the members of a body. */
const COMMANDS: Record<string, { command: string; members: Record<string, Typed> }> = {
  '/v2/scrape': {
    command: 'scrape',
    members: { url: word, ...PAGE, ...FILTERS, mobile: toggle('mobile'), headers },
  },
  '/v2/parse': { command: 'parse', members: { ...PAGE, ...FILTERS } },
  '/v2/crawl': {
    command: 'crawl',
    members: {
      url: word,
      prompt: text('prompt'),
      limit: text('limit'),
      maxDiscoveryDepth: text('max-depth'),
      includePaths: repeated('include'),
      excludePaths: repeated('exclude'),
      crawlEntireDomain: toggle('entire-domain'),
      allowSubdomains: toggle('subdomains'),
      allowExternalLinks: toggle('external'),
      sitemap: text('sitemap'),
      ignoreRobotsTxt: toggle('ignore-robots'),
      delay: text('delay'),
      archive: toggle('archive'),
      maxConcurrency: text('concurrency'),
      scrapeOptions: scrapeOptions(PAGE),
    },
  },
  '/v2/batch/scrape': {
    command: 'batch',
    members: { urls: words, ...PAGE, archive: toggle('archive'), maxConcurrency: text('concurrency') },
  },
  '/v2/map': {
    command: 'map',
    members: {
      url: word,
      search: text('search'),
      limit: text('limit'),
      sitemap: text('sitemap'),
      includeSubdomains: toggle('subdomains'),
      ignoreQueryParameters: toggle('ignore-query'),
      ignoreRobotsTxt: toggle('ignore-robots'),
      ignoreCache: toggle('ignore-cache'),
      timeout: text('timeout'),
    },
  },
  '/v2/search': {
    command: 'search',
    members: {
      query: word,
      limit: text('limit'),
      sources: list('sources'),
      categories: list('categories'),
      includeDomains: list('include-domains'),
      excludeDomains: list('exclude-domains'),
      tbs: text('tbs'),
      timeout: text('timeout'),
      scrapeOptions: scrapeOptions({ formats: list('formats') }),
    },
  },
  '/v2/extract': {
    command: 'extract',
    members: {
      urls: (value) => word(joined(value)),
      prompt: text('prompt'),
      limit: text('limit'),
      showSources: toggle('sources'),
    },
  },
  '/v2/agent': {
    command: 'agent',
    members: {
      prompt: word,
      urls: list('urls'),
      strictConstrainToURLs: toggle('strict'),
      effort: text('effort'),
      maxCredits: text('max-credits'),
    },
  },
  '/v2/browser': {
    command: 'browser open',
    members: { ttl: text('ttl'), activityTtl: text('activity-ttl'), profile },
  },
};

/**
 * A request as a command. It names the service and takes the key from its variable, as the other snippets do.
 * What the command line cannot say is named in a comment above it.
 */
export function commandLine({ origin, operation, body, fileName }: SnippetRequest): string | undefined {
  const known = COMMANDS[operation.path];
  if (!known) return undefined;
  const typed: string[] = fileName === undefined ? [] : [fileName];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const parts = Object.hasOwn(known.members, name) ? known.members[name]?.(value) : undefined;
    if (parts) typed.push(...parts);
    else missing.push(name);
  }
  const command = ['winnow', known.command, ...typed.map(shellWord)].join(' ');
  const note = missing.length ? `# The command has no argument for: ${missing.join(', ')}.\n` : '';
  return `${note}WINNOW_URL=${shellWord(origin)} ${command}`;
}
