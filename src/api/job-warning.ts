import type { PageJobState } from '../db/page-jobs.ts';

/** What a prompt is answered with that no rule understands. */
export const PROMPT_NOT_UNDERSTOOD =
  'Nothing of the prompt was understood: without a model, it is read by rules. Set the options yourself.';
/** URLs of one kind that /errors lists. */
const LISTED = 1_000;

/** What activities noted of a job. */
export interface JobNotes {
  /** No rule understood anything of the prompt of a crawl. */
  promptNotUnderstood?: boolean;
  /** Where the start page of a crawl leads out of the path that was asked for. */
  strayed?: { url: string; folder: string };
  /** URL patterns without end, and how many URLs of each were left out. */
  traps?: Record<string, number>;
}

/**
 * What a person should know of a job; nothing where it is as it should be.
 * @param service.hasRoom whether the disk has room for more pages
 */
export function warningOf(
  {
    kind,
    status,
    completed,
    failed,
    blocked,
    silentHosts,
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
