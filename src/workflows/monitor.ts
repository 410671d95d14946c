import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  log,
  type ParentClosePolicy,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndedCheck, OpenCheckJob } from '../activities/monitors.ts';
import { toServiceError } from '../errors.ts';
import { JOB_KINDS, workflowIdOf } from '../job-kinds.ts';
import { monitorSteps } from './activities.ts';
import type { batch } from './batch.ts';
import { startDeliveries } from './deliveries.ts';
import { logFailure } from './failure.ts';
import { startMails } from './mails.ts';
import type { search } from './search.ts';
import { JobKind, Outcome, TeamId } from './search-attributes.ts';

/** The input of the workflow of a check. Everything else is in the database. */
export interface MonitorInput {
  checkId: string;
}

/** The input of the workflow that a schedule starts. */
export interface MonitorDueInput {
  monitorId: string;
}

/** Checks that are due at the same moment, for example after a rest of the service, begin within this time. */
const SPREAD_MS = 60_000;
/** Milliseconds after its time at which a check counts as late; the schedule itself spreads those on time. */
const LATE_MS = 90_000;
/** Interval at which jobs are looked at whose end the workflow was not told. */
const LOOK_INTERVAL = '1 minute';
/** A page that could not be read is scraped again after this time. */
const RETRY_PAUSE = '10s';
/** The jobs end by themselves, and upkeep starts the check again. */
const ABANDON: ParentClosePolicy = 'ABANDON';
/** The timeout of a search of a check, in milliseconds. */
const SEARCH_TIMEOUT_MS = 60_000;

/** Begins the check of a monitor at a time of its schedule. */
export async function monitorDue({ monitorId }: MonitorDueInput): Promise<string | undefined> {
  const { startTime, searchAttributes } = workflowInfo();
  const [scheduled] = searchAttributes.TemporalScheduledStartTime ?? [];
  const dueAt = scheduled instanceof Date ? scheduled : startTime;
  if (startTime.getTime() - dueAt.getTime() > LATE_MS) await sleep(spreadOf(monitorId));
  const due = await monitorSteps.beginCheck(monitorId, dueAt.toISOString());
  if (!due) return undefined;
  const { checkId, teamId, isRunning, hasWebhook } = due;
  if (isRunning) await startCheck(checkId, teamId);
  else if (hasWebhook) await startDeliveries(checkId);
  return checkId;
}

/** A number of milliseconds that is the same for a monitor each time, and different for most of them. */
const spreadOf = (monitorId: string) => (Number.parseInt(monitorId.slice(-6), 16) / 0xffffff) * SPREAD_MS;

/** Starts the workflow of a check, unless it is running. */
export async function startCheck(checkId: string, teamId?: string): Promise<void> {
  try {
    await startChild(monitor, {
      workflowId: workflowIdOf('monitor', checkId),
      args: [{ checkId }],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `Check ${checkId} of a monitor`,
      ...(teamId !== undefined && {
        typedSearchAttributes: [
          { key: TeamId, value: teamId },
          { key: JobKind, value: 'monitor' },
        ],
      }),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Checks a monitor: runs the jobs of the check, and collects their pages as they end. */
export async function monitor({ checkId }: MonitorInput): Promise<void> {
  try {
    await new CheckRun(checkId).run();
    await end(checkId);
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      const { code, message } = logFailure(toServiceError(error));
      upsertSearchAttributes([{ key: Outcome, value: code }]);
      await end(checkId, message);
    });
    throw error;
  }
}

/** Ends a check, and has mails sent that tell of it. */
async function end(checkId: string, failure?: string): Promise<void> {
  // A worker of an earlier version returned nothing.
  const ended = (await monitorSteps.endCheck(checkId, failure)) as EndedCheck | undefined;
  if (ended?.mailedMonitorId !== undefined) await startMails(ended.mailedMonitorId);
}

class CheckRun {
  readonly #checkId: string;
  readonly #started = new Set<string>();
  /** How many of the jobs have ended. */
  #ended = 0;

  constructor(checkId: string) {
    this.#checkId = checkId;
  }

  async run(): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const seen = this.#ended;
      const progress = await monitorSteps.collectPages(this.#checkId);
      if (isFirst && progress?.hasWebhook) await startDeliveries(this.#checkId);
      if (!progress) return;
      const fresh = progress.open.filter(({ jobId }) => !this.#started.has(jobId));
      if (fresh.some(({ isRetry }) => isRetry)) await sleep(RETRY_PAUSE);
      for (const job of fresh) await this.#start(job);
      if (progress.hasUnjudged) await monitorSteps.judgePages(this.#checkId);
      if (progress.open.length === 0) return;
      await condition(() => this.#ended !== seen, LOOK_INTERVAL);
    }
  }

  /** Starts a job. One that upkeep has started already is looked at now and then. */
  async #start(job: OpenCheckJob): Promise<void> {
    this.#started.add(job.jobId);
    try {
      const child = await startJob(job);
      const note = () => {
        this.#ended++;
      };
      // How it ended is in its row.
      child.result().then(note, note);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      log.info('a job of the check was started already', { jobId: job.jobId });
    }
  }
}

function startJob({ jobId, kind, teamId, label }: OpenCheckJob) {
  const { noun } = JOB_KINDS[kind];
  const options = {
    workflowId: workflowIdOf(kind, jobId),
    parentClosePolicy: ABANDON,
    priority: { priorityKey: JOB_KINDS.monitor.priority, fairnessKey: teamId },
    staticSummary: `${noun} of a check: ${label}`.slice(0, 200),
    typedSearchAttributes: [
      { key: TeamId, value: teamId },
      { key: JobKind, value: kind },
    ],
  };
  return kind === 'search'
    ? startChild<typeof search>(JOB_KINDS.search.workflow, {
        ...options,
        args: [{ jobId, timeoutMs: SEARCH_TIMEOUT_MS }],
      })
    : startChild<typeof batch>(JOB_KINDS[kind].workflow, { ...options, args: [{ jobId, webhook: false }] });
}
