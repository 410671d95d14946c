import { count } from '../elements/format.ts';
import type { ScreenshotDiff } from './picture-diff.ts';

/** A monitor, as `GET /v2/monitor` lists it. */
export interface Monitor {
  id: string;
  name: string;
  tags: string[];
  status: 'active' | 'paused';
  schedule: { cron: string; timezone: string };
  nextRunAt: string | null;
  lastRunAt: string | null;
  /** The check that is running. */
  currentCheckId: string | null;
  targets: Target[];
  webhook: { url: string } | null;
  /** Its news as a feed, for everybody who knows the URL. */
  feedUrl: string;
  retentionDays: number;
  /** What changes matter, in words. */
  goal: string | null;
  estimatedCreditsPerMonth: number;
}

/** What a monitor watches: the fields that its type has. */
interface Target {
  id: string;
  type: string;
  urls?: string[];
  url?: string;
  queries?: string[];
}

/** A check, as `GET /v2/monitor/{id}/checks` lists it. */
export interface Check {
  id: string;
  status:
    | 'queued'
    | 'running'
    | 'completed'
    | 'failed'
    | 'partial'
    | 'skipped_overlap'
    | 'skipped_no_credits';
  trigger: 'scheduled' | 'manual';
  startedAt: string | null;
  finishedAt: string | null;
  actualCredits: number | null;
  summary: Record<PageStatus | 'totalPages', number>;
  error: string | null;
  /** What it does not do as the monitor wants it. */
  warning: string | null;
  createdAt: string;
}

export type PageStatus = 'changed' | 'new' | 'removed' | 'error' | 'same';

/** A page of a check. */
export interface CheckPage {
  id: string;
  targetId: string;
  url: string;
  status: PageStatus;
  statusCode: number | null;
  error: string | null;
  /** Checks in a row, with this one, that could not read it. */
  failures: number;
  metadata: Record<string, unknown> | null;
  /** `json` has the fields that differ, or the diff of the text once more. */
  diff: { text?: string; json?: unknown; screenshot?: ScreenshotDiff } | null;
  /** Where screenshots are compared: the one that the next check is compared with, and how much differed. */
  snapshot: { screenshot?: string; changedShare?: number } | null;
  judgment: Judgment | null;
}

/** What the language model thinks of a change, by the goal of the monitor. */
export interface Judgment {
  meaningful: boolean;
  confidence: 'high' | 'medium' | 'low';
  reason: string;
  meaningfulChanges: { before: string | null; after: string | null; reason: string }[];
}

/** The outcomes of pages as people name them, those that matter most first. */
export const PAGE_TITLES: Record<PageStatus, string> = {
  changed: 'Changed',
  new: 'New',
  removed: 'Removed',
  error: 'Error',
  same: 'Same',
};

/** The states of checks as people name them. */
export const CHECK_TITLES: Record<Check['status'], string> = {
  queued: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  partial: 'Partly failed',
  skipped_overlap: 'Skipped, the one before was running',
  skipped_no_credits: 'Skipped, too few credits',
};

/** What a check comes to, by which it gets its colour. */
export type Outcome = 'running' | 'skipped' | 'changed' | 'new' | 'error' | 'same';

/** What a check comes to: a change counts for more than an error. */
export function outcomeOf({ status, summary }: Pick<Check, 'status' | 'summary'>): Outcome {
  if (status === 'queued' || status === 'running') return 'running';
  if (status.startsWith('skipped')) return 'skipped';
  if (summary.changed + summary.removed > 0) return 'changed';
  if (status !== 'completed') return 'error';
  return summary.new > 0 ? 'new' : 'same';
}

/** What a check found, such as `1 changed, 3 same`; its state while there is nothing else to say. */
export function describeCheck({ status, summary }: Pick<Check, 'status' | 'summary'>): string {
  const found = (Object.keys(PAGE_TITLES) as PageStatus[])
    .filter((name) => summary[name] > 0)
    .map((name) => `${summary[name].toLocaleString()} ${name}`);
  return found.join(', ') || CHECK_TITLES[status];
}

/** URLs or queries of a target that are named. */
const NAMED = 3;

/** What a target watches, in a few words. */
export function describeTarget({ type, urls, url, queries }: Target): string {
  const all = urls ?? queries ?? (url === undefined ? [] : [url]);
  const rest = all.length - NAMED;
  const named = all.slice(0, NAMED).join(', ');
  return `${type}: ${named}${rest > 0 ? ` and ${count(rest, queries ? 'other' : 'other page')}` : ''}`;
}
