import { feedUrl } from '../../jobs/monitors/signed-links.ts';
import { nextRunAfter } from '../../schedules/recurrence.ts';
import {
  EMPTY_SUMMARY,
  type MonitorCheckResource,
  type MonitorPageResource,
  type MonitorResource,
  type PageDetails,
} from '../../schemas/monitor-results.ts';
import type { StoredCheck } from '../../storage/db/monitors/checks.ts';
import type { MailCounts } from '../../storage/db/monitors/mails.ts';
import type { StoredMonitor } from '../../storage/db/monitors/monitors.ts';
import type { StoredCheckPage } from '../../storage/db/monitors/pages.ts';
import type { Subscription } from '../../storage/db/monitors/subscriptions.ts';

const timeOf = (date: Date | null) => date?.toISOString() ?? null;

/**
 * A monitor as responses contain it.
 * @param secretKey signs the URL of its feed
 * @param subscriptions its recipients; lists leave them out
 */
export function toMonitor(
  monitor: StoredMonitor,
  secretKey: string,
  subscriptions: Subscription[] = [],
): MonitorResource {
  const { status, cron, timezone } = monitor;
  return {
    id: monitor.id,
    name: monitor.name,
    tags: monitor.tags,
    status,
    schedule: { cron, timezone },
    nextRunAt: status === 'active' ? timeOf(nextRunAfter({ cron, timezone }) ?? null) : null,
    lastRunAt: timeOf(monitor.last_run_at),
    currentCheckId: monitor.current_check_id,
    // The API validated them, and gave each an id, before they were stored.
    targets: monitor.targets as MonitorResource['targets'],
    webhook: monitor.webhook as MonitorResource['webhook'],
    notification: monitor.notification,
    feedUrl: feedUrl({ monitorId: monitor.id, version: monitor.feed_version }, monitor.base_url, secretKey),
    retentionDays: monitor.retention_days,
    estimatedCreditsPerMonth: monitor.runs_per_month * monitor.check_credits,
    lastCheckSummary: monitor.last_summary,
    goal: monitor.goal,
    judgeEnabled: monitor.judge_enabled,
    ...(subscriptions.length > 0 && {
      emailRecipientSubscriptions: subscriptions.map((each) => ({ ...each, source: 'opt_in' as const })),
    }),
    createdAt: monitor.created_at.toISOString(),
    updatedAt: monitor.updated_at.toISOString(),
  };
}

/** A check as responses contain it. @param mails the numbers of mails that tell of it */
export function toCheck(check: StoredCheck, mails?: MailCounts): MonitorCheckResource {
  const { status, estimated_credits: estimated } = check;
  const isRunning = status === 'running' || status === 'queued';
  const isSkipped = status === 'skipped_overlap' || status === 'skipped_no_credits';
  return {
    id: check.id,
    monitorId: check.monitor_id,
    status,
    trigger: check.trigger,
    scheduledFor: timeOf(check.scheduled_for),
    startedAt: timeOf(check.started_at),
    finishedAt: timeOf(check.finished_at),
    estimatedCredits: estimated,
    reservedCredits: isRunning ? estimated : 0,
    actualCredits: check.actual_credits,
    billingStatus: isSkipped ? 'not_applicable' : isRunning ? 'reserved' : 'confirmed',
    summary: check.summary ?? EMPTY_SUMMARY,
    // `endCheck` stored them in this shape.
    targetResults: check.target_results as MonitorCheckResource['targetResults'],
    notificationStatus: mails ? { email: mails } : null,
    error: check.error,
    warning: check.warning,
    createdAt: check.created_at.toISOString(),
    updatedAt: check.updated_at.toISOString(),
  };
}

/** A page of a check as responses contain it. @param details what is stored beside its row, with URLs of pictures */
export const toCheckPage = (page: StoredCheckPage, details: PageDetails): MonitorPageResource => ({
  id: page.id,
  targetId: page.target_id,
  url: page.url,
  status: page.status,
  previousScrapeId: page.previous_scrape_id,
  currentScrapeId: page.current_scrape_id,
  statusCode: page.status_code,
  error: page.error,
  failures: page.failures,
  isRecovered: page.is_failure_told && page.status !== 'error',
  metadata: page.metadata,
  diff: details.diff ?? null,
  snapshot: details.snapshot ?? null,
  judgment: page.judgment,
  createdAt: page.created_at.toISOString(),
});
