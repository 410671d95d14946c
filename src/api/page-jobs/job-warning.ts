import type { PageJobState } from '../../storage/db/jobs/read-page-job-state.ts';

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
  /** Number of links that were left out because comparing them with the patterns takes too many steps. */
  unmatched?: number;
}

/** The state of the service that warnings depend on. */
interface ServiceState {
  /** Whether the disk has space for more pages. */
  hasDiskSpace: boolean;
  /** Bytes on the disk after which a job keeps no more responses. */
  maxArchiveBytes: number;
}

/** The state of a batch or crawl with its decrypted notes. */
type JobState = Omit<PageJobState, 'notes'> & { notes: JobNotes };

/**
 * Composes the warning in the status of a batch or crawl.
 * @returns one or more sentences for the user; `undefined` if there is nothing to warn of
 */
export function composeWarning(job: JobState, service: ServiceState): string | undefined {
  const warnings = [
    job.notes.promptNotUnderstood && PROMPT_NOT_UNDERSTOOD,
    job.status === 'scraping' && !service.hasDiskSpace && DISK_FULL,
    warnOfUnavailableRobots(job),
    warnOfRetries(job),
    warnOfBlockedPages(job),
    warnOfScope(job),
    warnOfTraps(job),
    job.notes.unmatched && UNMATCHED,
    job.archivedBytes >= service.maxArchiveBytes && ARCHIVE_FULL,
  ];
  return warnings.filter(Boolean).join(' ') || undefined;
}

const UNMATCHED =
  'Long links were left out, because comparing them with includePaths and excludePaths takes too much work. Use fewer or simpler patterns, with smaller numbers in {…}.';

const ARCHIVE_FULL =
  'The responses of further pages are not kept, because the archive of the job is full. The operator can raise WINNOW_MAX_ARCHIVE_MB.';

const DISK_FULL =
  'The disk of the service is nearly full. No further page is scraped until space is free again.';

function warnOfUnavailableRobots({ status, hostsWithoutRobots: count }: JobState): string | undefined {
  if (status !== 'scraping' || count === 0) return undefined;
  const hosts = count === 1 ? 'a host' : `${count} hosts`;
  return `Pages of ${hosts} are waiting because robots.txt is unavailable there. It is requested again.`;
}

function warnOfRetries({ retryAt }: JobState): string | undefined {
  if (!retryAt) return undefined;
  const seconds = Math.max(1, Math.ceil((retryAt.getTime() - Date.now()) / 1000));
  return `All other pages are done. What could not be fetched is tried again in ${seconds} s.`;
}

function warnOfBlockedPages({ blocked }: JobState): string | undefined {
  if (blocked === 0) return undefined;
  const [pages, them] = blocked === 1 ? ['page was', 'it'] : ['pages were', 'them'];
  const listed = blocked > MAX_LISTED_URLS ? `the first ${MAX_LISTED_URLS.toLocaleString('en')}` : them;
  return `${blocked.toLocaleString('en')} ${pages} left out because robots.txt disallows ${them}; /errors lists ${listed}. Set ignoreRobotsTxt if you are allowed to crawl them anyway.`;
}

/** Warns that the path of the requested URL limits the crawl to few pages, or to others than expected. */
function warnOfScope(job: JobState): string | undefined {
  const { strayed } = job.notes;
  if (strayed) {
    const { url, folder } = strayed;
    return `The start page redirects to ${url}, which is not below ${folder}, and only pages below ${folder} are crawled. Start at ${url} to crawl the pages there, or set crawlEntireDomain to crawl the whole site.`;
  }
  const foundOnlyStartPage =
    job.kind === 'crawl' &&
    job.status === 'completed' &&
    job.completed === 1 &&
    job.failed === 0 &&
    job.blocked === 0;
  if (!foundOnlyStartPage || job.pageLimit === 1 || !hasPath(job.target)) return undefined;
  return 'The crawl found no other page below its start URL. Set crawlEntireDomain to crawl the whole site, or start at its root.';
}

function warnOfTraps({ notes }: JobState): string | undefined {
  const traps = Object.entries(notes.traps ?? {});
  if (!traps.length) return undefined;
  const list = traps.slice(0, 3).map(([pattern, count]) => `${pattern} (${count})`);
  return `URLs that belong to endless series were left out: ${list.join(', ')}${traps.length > 3 ? ', …' : ''}.`;
}

function hasPath(target: string | null): boolean {
  const url = URL.parse(target ?? '');
  return url !== null && url.pathname !== '/';
}
