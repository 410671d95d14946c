import { Context } from '@temporalio/activity';
import { beginScheduledCheck } from '../jobs/monitors/begin-check.ts';
import type { CollectDeps } from '../jobs/monitors/collect-documents.ts';
import { collectEndedJobs } from '../jobs/monitors/collect-pages.ts';
import { finishCheck } from '../jobs/monitors/end-check.ts';
import { judgeCheck } from '../jobs/monitors/judging/judge-check.ts';
import type { CheckJob } from '../storage/db/monitors/check-jobs.ts';
import { findCheck, touchCheck } from '../storage/db/monitors/checks.ts';
import { listUnjudgedPages } from '../storage/db/monitors/judgments.ts';
import { readMonitor } from '../storage/db/monitors/monitors.ts';
import { withoutCredentials } from '../url/credentials.ts';
import { startHeartbeat } from './heartbeat.ts';

/** A check that a schedule has begun, or skipped. */
export interface DueCheck {
  checkId: string;
  teamId: string;
  isRunning: boolean;
  /** Whether there may be events to deliver. */
  hasWebhook: boolean;
}

/** A job of a check that has not ended, as the workflow of the check starts it. */
export interface OpenCheckJob {
  jobId: string;
  kind: CheckJob['kind'];
  teamId: string;
  /** What the Temporal UI shows of it. */
  label: string;
  isRetry: boolean;
}

/** The state of a check. */
export interface CheckProgress {
  hasWebhook: boolean;
  open: OpenCheckJob[];
  /** Whether a language model is to be asked about pages; absent in old histories. */
  hasUnjudged?: boolean;
}

/** A check that has ended. */
export interface EndedCheck {
  /** Its monitor, if there are mails of it to send. */
  mailedMonitorId?: string | undefined;
}

/** The activities of monitors. */
export function monitorActivities(deps: CollectDeps) {
  const { db } = deps;
  return {
    /**
     * Begins the check of a monitor that is due. It may be repeated: the time of the schedule identifies the
     * check.
     * @param scheduledFor an ISO time
     * @returns `undefined` if there is nothing to check
     */
    async beginCheck(monitorId: string, scheduledFor: string): Promise<DueCheck | undefined> {
      const begun = await beginScheduledCheck(
        { ...deps, hasModel: deps.models !== undefined },
        monitorId,
        new Date(scheduledFor),
      );
      if (!begun) return undefined;
      const { monitor, check } = begun;
      return {
        checkId: check.id,
        teamId: monitor.team_id,
        isRunning: check.status === 'running',
        hasWebhook: monitor.webhook !== null,
      };
    },

    /**
     * Adds the pages of the jobs that have ended to their check.
     * @returns the jobs that have not ended; `undefined` if the check has
     */
    async collectPages(checkId: string): Promise<CheckProgress | undefined> {
      using _ = startHeartbeat();
      const signal = Context.current().cancellationSignal;
      const check = await findCheck(db, checkId);
      const monitor = check?.status === 'running' ? await readMonitor(db, check.monitor_id) : undefined;
      if (!monitor) return undefined;
      const open = await collectEndedJobs(deps, { checkId, monitor, signal });
      await touchCheck(db, checkId);
      return {
        hasWebhook: monitor.webhook !== null,
        hasUnjudged: (await listUnjudgedPages(db, checkId, 1)).length > 0,
        open: open.map(({ jobId, kind, target, isRetry }) => ({
          jobId,
          kind,
          teamId: monitor.team_id,
          label: kind === 'search' ? 'Search' : withoutCredentials(target ?? '').slice(0, 120),
          isRetry,
        })),
      };
    },

    /** Judges the changes that the check has found so far. */
    async judgePages(checkId: string): Promise<void> {
      using _ = startHeartbeat();
      await judgeCheck(deps, checkId, Context.current().cancellationSignal);
      await touchCheck(db, checkId);
    },

    /** Ends a check whose jobs have ended. @param failure why it could not do its work */
    async endCheck(checkId: string, failure?: string): Promise<EndedCheck> {
      return { mailedMonitorId: await finishCheck(db, checkId, failure) };
    },
  };
}
