import type { PageJobState } from '../db/jobs/page-jobs.ts';

/** The warning for a crawl prompt of which no rule understood any part. */
export const PROMPT_NOT_UNDERSTOOD =
  'No part of the prompt was understood, because it is interpreted by rules, without a model. Set the options yourself.';
/** The maximum number of URLs that `/errors` lists for one reason. */
const MAX_LISTED_URLS = 1_000;

/** Observations about a job that are stored with it, so that its status can warn of them. */
export interface JobNotes {
  /** No rule understood anything of the prompt of a crawl. */
  promptNotUnderstood?: boolean;
  /** The URL that the start page led to, if it is not below `folder`, the path of the requested URL. */
  strayed?: { url: string; folder: string };
  /** Number of skipped URLs by URL pattern, for patterns that produce an endless series of URLs. */
  traps?: Record<string, number>;
}

/**
 * Composes the warning in the status of a batch or crawl.
 * @param service.hasDiskSpace whether the disk has space for more pages
 * @returns one or more sentences for the user; `undefined` if there is nothing to warn of
 */
export function composeWarning(
  {
    kind,
    status,
    completed,
    failed,
    blocked,
    hostsWithoutRobots,
    pageLimit,
    notes,
    target,
  }: Omit<PageJobState, 'notes'> & { notes: JobNotes },
  { hasDiskSpace }: { hasDiskSpace: boolean },
): string | undefined {
  const warnings: string[] = [];
  if (notes.promptNotUnderstood) warnings.push(PROMPT_NOT_UNDERSTOOD);
  if (status === 'scraping' && !hasDiskSpace) {
    warnings.push(
      'The disk of the service is nearly full. No further page is scraped until space is free again.',
    );
  }
  if (status === 'scraping' && hostsWithoutRobots > 0) {
    const hosts = hostsWithoutRobots === 1 ? 'a host' : `${hostsWithoutRobots} hosts`;
    warnings.push(
      `Pages of ${hosts} are waiting because robots.txt is unavailable there. It is requested again.`,
    );
  }
  if (blocked > 0) {
    warnings.push(
      `${blocked.toLocaleString('en')} ${blocked === 1 ? 'page was' : 'pages were'} left out because robots.txt disallows ${blocked === 1 ? 'it' : 'them'}; /errors lists ${blocked > MAX_LISTED_URLS ? `the first ${MAX_LISTED_URLS.toLocaleString('en')}` : 'them'}. Set ignoreRobotsTxt if you are allowed to crawl them anyway.`,
    );
  }
  const { strayed } = notes;
  if (strayed) {
    const { url, folder } = strayed;
    warnings.push(
      `The start page redirects to ${url}, which is not below ${folder}, and only pages below ${folder} are crawled. Start at ${url} to crawl the pages there, or set crawlEntireDomain to crawl the whole site.`,
    );
  } else if (
    status === 'completed' &&
    kind === 'crawl' &&
    completed === 1 &&
    failed === 0 &&
    blocked === 0 &&
    pageLimit !== 1 &&
    hasPath(target)
  ) {
    warnings.push(
      'The crawl found no other page below its start URL. Set crawlEntireDomain to crawl the whole site, or start at its root.',
    );
  }
  const traps = Object.entries(notes.traps ?? {});
  if (traps.length) {
    const list = traps.slice(0, 3).map(([pattern, count]) => `${pattern} (${count})`);
    warnings.push(
      `URLs that belong to endless series were left out: ${list.join(', ')}${traps.length > 3 ? ', …' : ''}.`,
    );
  }
  return warnings.join(' ') || undefined;
}

function hasPath(target: string | null): boolean {
  const url = URL.parse(target ?? '');
  return url !== null && url.pathname !== '/';
}
