import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { type ErrorCode, toServiceError } from '../errors.ts';
import type { CollectDeps } from '../jobs/monitors/collect-documents.ts';
import type { MailDeps } from '../jobs/monitors/mail/send-mails.ts';
import type { WebhookDeps } from '../jobs/webhooks/delivery.ts';
import type { Database } from '../storage/db/client.ts';
import type { Logger } from '../system/logger.ts';
import { agentActivities } from './agent/agent.ts';
import type { AgentDeps } from './agent/decide-turn.ts';
import { type BackupDeps, backupActivities } from './backups.ts';
import { mailActivities } from './mails.ts';
import { type MapDeps, mapActivities } from './map.ts';
import { monitorActivities } from './monitors.ts';
import { type PageJobDeps, pageJobActivities } from './page-jobs.ts';
import { type PageWorkerDeps, pageWorkerActivities } from './page-workers.ts';
import { type PreviewDeps, previewActivities } from './preview.ts';
import { type ReviewDeps, reviewActivities } from './reviews.ts';
import { type Scrapes, scrapeActivities } from './scrape/scrape.ts';
import type { ScrapeDeps } from './scrape/scrape-stored-job.ts';
import { type SearchDeps, searchActivities } from './search.ts';
import { type SessionDeps, sessionActivities } from './sessions/sessions.ts';
import { type SupportDeps, supportActivities } from './support/support.ts';
import { type UpkeepDeps, upkeepActivities } from './upkeep/upkeep.ts';
import { waitForDatabase } from './wait-for-database.ts';
import { webhookActivities } from './webhooks.ts';

/** The dependencies of all activities. A worker creates them once. */
export type ActivityDeps = ScrapeDeps &
  MapDeps &
  SearchDeps &
  PageWorkerDeps &
  PageJobDeps &
  WebhookDeps &
  SessionDeps &
  SupportDeps &
  AgentDeps &
  PreviewDeps &
  CollectDeps &
  ReviewDeps &
  MailDeps &
  BackupDeps &
  UpkeepDeps & { logger: Logger; scrapes: Scrapes };

/** Creates all activities of the service. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...scrapeActivities(deps),
    ...mapActivities(deps),
    ...searchActivities(deps),
    ...pageJobActivities(deps),
    ...pageWorkerActivities(deps),
    ...webhookActivities(deps),
    ...sessionActivities(deps),
    ...supportActivities(deps),
    ...agentActivities(deps),
    ...previewActivities(deps),
    ...monitorActivities(deps),
    ...reviewActivities(deps),
    ...mailActivities(deps),
    ...backupActivities(deps),
    ...upkeepActivities(deps),
  };
}

/** The activities that workflows may call. */
export type Activities = ReturnType<typeof createActivities>;

/**
 * Converts every error of an activity into a Temporal failure whose type is our error code. The failure is
 * retryable only if the error is. The text of an unknown error appears only in the log. Without a database,
 * the activity fails when the database responds again.
 */
export function failureInterceptor({
  db,
  logger,
}: {
  db: Pick<Database, 'ready'>;
  logger: Logger;
}): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        if (error instanceof CancelledFailure) throw error;
        const { code, message, details, isRetryable } = toServiceError(error);
        if (code === 'SERVICE_UNAVAILABLE') await waitForDatabase(db);
        const expected = code !== 'UNKNOWN_ERROR';
        if (!expected) {
          const { activityType, workflowExecution } = Context.current().info;
          const workflowId = workflowExecution?.workflowId;
          logger.error({ err: error, activityType, workflowId }, 'activity failed unexpectedly');
        }
        throw ApplicationFailure.create({
          message,
          type: code satisfies ErrorCode,
          nonRetryable: !isRetryable,
          details: [details ?? null],
          ...(expected && { category: ApplicationFailureCategory.BENIGN }),
        });
      }
    },
  };
}
