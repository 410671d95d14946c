import type { z } from 'zod';
import type { ChangeTrackingMode } from '../../content/changes/compare.ts';
import type { changeTracking } from '../../content/formats/change-tracking.ts';
import { fieldsOf } from '../../json/json-object.ts';
import type { MonitorPageStatus } from '../../schemas/monitor.ts';
import type { PageDetails } from '../../schemas/monitor-results.ts';
import type { ChangeDetection } from '../../schemas/monitor-targets.ts';
import type { EarlierPage, EndedPage } from '../../storage/db/monitors/pages.ts';
import type { CheckedScreenshot } from './screenshots.ts';
import { findIgnored, isSignificant, narrowsChanges } from './significant-change.ts';

type Tracking = z.output<typeof changeTracking.value>;

/** What a check found of a page. */
export interface CheckedPage {
  status: MonitorPageStatus;
  error: string | null;
  statusCode: number | null;
  metadata: Record<string, unknown> | null;
  details?: PageDetails | undefined;
}

/** How the pages of a target are compared. */
export interface Comparing {
  detection: ChangeDetection;
  modes: readonly ChangeTrackingMode[];
  /** Whether the screenshot alone counts. */
  ignoresWords?: boolean | undefined;
}

/** What a page is compared with, and how. */
interface Compared {
  /** What the last check found of it. */
  earlier: Pick<EarlierPage, 'status'> | undefined;
  comparing: Comparing;
  /** The changed lines that a pattern of the target matches; see {@link ignoredLines}. */
  ignored?: ReadonlySet<string> | undefined;
}

/** How lines are compared that may take long. */
interface Matching {
  /** See `findIgnored`. */
  matchElsewhere: Parameters<typeof findIgnored>[2];
  /** Ends the comparison of all pages. */
  signal: AbortSignal;
  /** Called with the error if lines could not be compared. */
  onFault: (error: unknown) => void;
}

/**
 * Finds the changed lines of a page that a pattern of its target matches, if its status depends on them. Lines that
 * cannot be compared count as changed: the lines of one page must not keep a check from all others.
 * @throws the reason of the signal
 */
export async function ignoredLines(
  document: Record<string, unknown> | undefined,
  compared: Compared,
  { matchElsewhere, signal, onFault }: Matching,
): Promise<Set<string> | undefined> {
  // The format `changeTracking` wrote it.
  const tracking = document?.changeTracking as Tracking | undefined;
  if (!tracking?.diff || statusWithoutLines(tracking, compared)) return undefined;
  try {
    return await findIgnored(tracking.diff, compared.comparing.detection, matchElsewhere);
  } catch (error) {
    signal.throwIfAborted();
    onFault(error);
    return undefined;
  }
}

/**
 * Adds to what a check found of a page what its screenshot says.
 * @param page what its words and data say
 */
export function addScreenshot(
  page: CheckedPage,
  { kept, isChanged, changedShare, diff }: CheckedScreenshot,
): CheckedPage {
  const status = isChanged && page.status === 'same' ? 'changed' : page.status;
  const details: PageDetails = {
    ...page.details,
    ...(status === 'changed' && { diff: { ...page.details?.diff, ...(diff && { screenshot: diff }) } }),
    ...(kept !== null && {
      snapshot: {
        ...page.details?.snapshot,
        screenshot: kept,
        ...(changedShare !== undefined && { changedShare }),
      },
    }),
  };
  return { ...page, status, ...(Object.keys(details).length > 0 && { details }) };
}

/** What of a page's metadata belongs to its check. */
const KEPT_METADATA = [
  'title',
  'description',
  'language',
  'url',
  'sourceURL',
  'statusCode',
  'contentType',
  'creditsUsed',
];

/**
 * Decides what a check found of a page.
 * @param document the document of the page as it was stored; `undefined` if the page failed
 * @param compared what it is compared with, and how
 */
export function checkPage(
  page: Pick<EndedPage, 'error'>,
  document: Record<string, unknown> | undefined,
  compared: Compared,
): CheckedPage {
  const { comparing } = compared;
  if (!document) return failed(page.error?.message ?? 'The page could not be scraped.');
  const all = fieldsOf(document.metadata);
  const metadata = Object.fromEntries(
    KEPT_METADATA.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]),
  );
  const statusCode = typeof all.statusCode === 'number' ? all.statusCode : null;
  // The format `changeTracking` wrote it.
  const tracking = document.changeTracking as Tracking | undefined;
  if (!tracking) return failed(reasonOf(document, statusCode), { statusCode, metadata });
  const status = statusOf(tracking, compared);
  if (status === 'error') return failed(reasonOf(document, statusCode), { statusCode, metadata });
  return {
    status,
    error: null,
    statusCode,
    metadata,
    details: detailsOf(document, tracking, { status, comparing }),
  };
}

const failed = (error: string, known: Partial<CheckedPage> = {}): CheckedPage => ({
  statusCode: null,
  metadata: null,
  ...known,
  status: 'error',
  error,
});

/** Says why a page was not compared. */
function reasonOf({ warning }: Record<string, unknown>, statusCode: number | null): string {
  if (statusCode !== null && statusCode >= 400) return `The page responded with HTTP ${statusCode}.`;
  return typeof warning === 'string' ? warning : 'The page could not be compared.';
}

function statusOf(tracking: Tracking, compared: Compared): MonitorPageStatus {
  const decided = statusWithoutLines(tracking, compared);
  if (decided) return decided;
  const { comparing, ignored } = compared;
  const { diff } = tracking;
  return !diff || isSignificant(diff, comparing.detection, ignored) ? 'changed' : 'same';
}

/** The status of a page; `undefined` if it depends on which lines have changed. */
function statusWithoutLines(
  { changeStatus, diff, json }: Tracking,
  { earlier, comparing }: Compared,
): MonitorPageStatus | undefined {
  // A page that never existed is none that was removed, and one is removed once.
  if (changeStatus === 'removed')
    return !earlier ? 'error' : earlier.status === 'removed' ? 'same' : 'removed';
  if (changeStatus === 'new' || !earlier || earlier.status === 'removed') return 'new';
  if (changeStatus === 'same' || comparing.ignoresWords) return 'same';
  const { modes, detection } = comparing;
  const hasChangedData = json !== undefined && Object.keys(json).length > 0;
  if (hasChangedData) return 'changed';
  // Where only data is compared, the rest of the page does not count.
  if (json !== undefined && !modes.includes('git-diff')) return 'same';
  return !diff || !narrowsChanges(detection) ? 'changed' : undefined;
}

function detailsOf(
  document: Record<string, unknown>,
  { diff, json }: Tracking,
  { status, comparing }: { status: MonitorPageStatus; comparing: Comparing },
): PageDetails | undefined {
  const comparesData = comparing.modes.includes('json');
  const details: PageDetails = {
    ...(status === 'changed' && {
      diff: { ...(diff && { text: diff.text }), json: json ?? diff?.json },
    }),
    ...(comparesData && document.json !== undefined && { snapshot: { json: document.json } }),
  };
  return Object.keys(details).length ? details : undefined;
}
