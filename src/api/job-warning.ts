import type { PageJobState } from '../db/jobs/page-jobs.ts';

/** The warning for a crawl prompt of which no rule understood anything. */
export const PROMPT_NOT_UNDERSTOOD =
  'Nothing of the prompt was understood: without a model, it is read by rules. Set the options yourself.';
/** The maximum number of URLs that `/errors` lists for one reason. */
const LISTED = 1_000;

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
 * @param service.hasRoom whether the disk has space for more pages
 * @returns one or more sentences for the user; `undefined` if there is nothing to warn of
 */
export function warningOf(
  {
    kind,
    status,
    completed,
    failed,
    blocked,
    hostsWithoutRobots: silentHosts,
    pageLimit,
    notes,
    target,
  }: Omit<PageJobState, 'notes'> & { notes: JobNotes },
  { hasRoom }: { hasRoom: boolean },
): string | undefined {
  const warnings: string[] = [];
  if (notes.promptNotUnderstood) warnings.push(PROMPT_NOT_UNDERSTOOD);
  if (status === 'scraping' && !hasRoom) {
    warnings.push('The disk of the service is nearly full: no page is begun until there is room again.');
  }
  if (status === 'scraping' && silentHosts > 0) {
    const hosts = silentHosts === 1 ? 'a host' : `${silentHosts} hosts`;
    warnings.push(`Pages of ${hosts} wait, because robots.txt is unavailable there; it is asked for again.`);
  }
  if (blocked > 0) {
    warnings.push(
      `${blocked.toLocaleString('en')} ${blocked === 1 ? 'page was' : 'pages were'} left out because robots.txt does not allow ${blocked === 1 ? 'it' : 'them'}; /errors lists ${blocked > LISTED ? `the first ${LISTED.toLocaleString('en')}` : 'them'}. Set ignoreRobotsTxt if you may crawl them all the same.`,
    );
  }
  const { strayed } = notes;
  if (strayed) {
    const { url, folder } = strayed;
    warnings.push(
      `The start page leads to ${url}, which is not below ${folder}: only pages below ${folder} are crawled. Start at ${url} for what lies there, or set crawlEntireDomain to crawl the whole site.`,
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
      'The crawl found hardly a page below its start address. Set crawlEntireDomain to crawl the whole site, or start at its root.',
    );
  }
  const traps = Object.entries(notes.traps ?? {});
  if (traps.length) {
    const list = traps.slice(0, 3).map(([pattern, count]) => `${pattern} (${count})`);
    warnings.push(
      `Addresses of endless series were left out: ${list.join(', ')}${traps.length > 3 ? ', …' : ''}.`,
    );
  }
  return warnings.join(' ') || undefined;
}

function hasPath(target: string | null): boolean {
  const url = URL.parse(target ?? '');
  return url !== null && url.pathname !== '/';
}
