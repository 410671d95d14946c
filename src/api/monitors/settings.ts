import { priceOfTarget } from '../../jobs/monitors/plan-jobs.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { countRunsPerMonth } from '../../schedules/recurrence.ts';
import type { CreateMonitorRequest, UpdateMonitorRequest } from '../../schemas/monitor.ts';
import { type MonitorTarget, targetName } from '../../schemas/monitor-targets.ts';
import type { MonitorChange } from '../../storage/db/monitors/monitors.ts';
import { parseTarget } from '../../url/url.ts';

/** Pages that a crawl is expected to have as long as no check has counted them. */
const EXPECTED_PAGES = 100;

/**
 * The columns that the settings of a request set.
 * @param body the settings that the request has
 * @param rawBody the request before its schema filled in defaults: targets are returned as they were sent
 * @throws ServiceError `BAD_REQUEST` for a URL that cannot be fetched
 */
export function columnsOf(
  body: CreateMonitorRequest | UpdateMonitorRequest,
  rawBody: unknown,
  allowLocalNames: boolean,
): MonitorChange {
  const { name, tags, schedule, targets, webhook, notification, retentionDays, goal, judgeEnabled } = body;
  const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value));
  if (targets) requireTargets(targets, allowLocalNames);
  return {
    ...(name !== undefined && { name }),
    ...(tags && { tags: [...new Set(tags)] }),
    ...(schedule && { ...schedule, runs_per_month: countRunsPerMonth(schedule) }),
    ...(targets && {
      targets: JSON.stringify(sentTargets(rawBody)),
      check_credits: targets.reduce((sum, target) => sum + priceOfTarget(target, expectedPages), 0),
    }),
    ...(webhook !== undefined && { webhook: jsonOf(webhook) }),
    ...(notification !== undefined && { notification: jsonOf(notification) }),
    ...(retentionDays !== undefined && { retention_days: retentionDays }),
    ...(goal !== undefined && { goal }),
    ...(judgeEnabled !== undefined && { judge_enabled: judgeEnabled }),
    ...('status' in body && body.status !== undefined && { status: body.status }),
  };
}

const expectedPages = (limit: number) => Math.min(limit, EXPECTED_PAGES);

/** The targets as they were sent, each with an id. */
function sentTargets(rawBody: unknown): object[] {
  // The schema has found a list of objects.
  const sent = fieldsOf(rawBody).targets as { id?: string }[];
  return sent.map((target, index) => ({ ...target, id: targetName(target, index) }));
}

function requireTargets(targets: readonly MonitorTarget[], allowLocalNames: boolean): void {
  for (const target of targets) {
    if (target.type === 'scrape') for (const url of target.urls) parseTarget(url, allowLocalNames);
    if (target.type === 'crawl') parseTarget(target.url, allowLocalNames);
  }
}
