import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  sleep,
  startChild,
} from '@temporalio/workflow';
import { JOB_KINDS, workflowIdOf } from '../job-kinds.ts';
import type { OverdueJob, StalledJob } from '../storage/db/jobs/page-jobs.ts';
import { bookkeeping, upkeepSteps } from './activities.ts';
import type { batch } from './batch.ts';
import type { crawl } from './crawl.ts';
import { startDeliveries } from './deliveries.ts';
import { startMails } from './mails.ts';
import { startCheck } from './monitor.ts';
import type { AskedPages } from './page-jobs.ts';
import { Host, JobKind, TeamId } from './search-attributes.ts';
import { wake } from './signals.ts';

const ROUND_PAUSE = '1 minute';
/** Number of rounds from one deletion of expired data to the next. */
const ROUNDS_PER_CLEANUP = 10;
/** Number of rounds after which the workflow continues as a new run, so that its history stays short. */
const MAX_ROUNDS = 500;

/**
 * Runs forever: restarts or ends jobs and deliveries that have lost their workflow, and deletes expired data.
 */
export async function upkeep(): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const job of await upkeepSteps.findStalled())
      await (isOverdue(job) ? endIfLost(job) : restartJob(job));
    for (const jobId of await upkeepSteps.findOverdue()) await startDeliveries(jobId);
    for (const each of await upkeepSteps.restoreMonitors())
      await ('checkId' in each ? startCheck(each.checkId, each.teamId) : startMails(each.monitorId));
    if (round % ROUNDS_PER_CLEANUP === 0) {
      const { jobs, files, copies, bytes } = await upkeepSteps.tidyUp();
      // A round of an earlier version did not count bytes.
      const freed = bytes === undefined ? '' : ` Freed ${(bytes / 1e6).toFixed(1)} MB of files.`;
      setCurrentDetails(`Last tidied up: ${jobs} jobs, ${files} files, ${copies} copies of pages.${freed}`);
    }
    await sleep(ROUND_PAUSE);
  }
  await continueAsNew<typeof upkeep>();
}

/**
 * Starts a workflow for a job that has none. A workflow that is running is woken instead, because it may
 * have missed a signal.
 */
async function restartJob(job: StalledJob): Promise<void> {
  const { id, kind, teamId, host } = job;
  const workflowId = workflowIdOf(kind, id);
  const asked = teamId ? askedOf(job) : undefined;
  try {
    await startChild<typeof batch | typeof crawl>(JOB_KINDS[kind].workflow, {
      workflowId,
      args: [{ jobId: id, webhook: true, prepared: kind !== 'crawl', ...(asked && { asked }) }],
      parentClosePolicy: 'ABANDON',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      // A round of an earlier version did not read the team.
      ...(teamId && {
        typedSearchAttributes: [
          { key: TeamId, value: teamId },
          { key: JobKind, value: kind },
          ...(host ? [{ key: Host, value: host }] : []),
        ],
      }),
    });
    log.warn('restarted a job that had lost its workflow', { workflowId });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await getExternalWorkflowHandle(workflowId)
      .signal(wake)
      .catch((ended) => log.info('job ended before it could be woken', { workflowId, ended: String(ended) }));
  }
}

/** What a job asks for, as its first workflow showed it. A round of an earlier version did not read it. */
function askedOf({ kind, target, limit, known }: StalledJob): AskedPages | undefined {
  if (kind === 'crawl') return target && limit ? { url: target, limit } : undefined;
  return known ? { urls: known } : undefined;
}

const isOverdue = (job: StalledJob | OverdueJob): job is OverdueJob =>
  job.kind !== 'batch_scrape' && job.kind !== 'crawl';

/**
 * Ends a job that has no workflow, because the API server was killed after it had stored the job. Nobody
 * knows its id, so it fails instead of being started; its uploaded file is deleted.
 */
async function endIfLost({ id, kind }: OverdueJob): Promise<void> {
  const workflowId = workflowIdOf(kind, id);
  try {
    // The workflow ignores the signal. Sending it fails if there is none.
    await getExternalWorkflowHandle(workflowId).signal(wake);
  } catch (error) {
    log.warn('ended a job that has no workflow', { workflowId, error: String(error) });
    await bookkeeping.recordFailure(id, {
      code: 'SERVICE_UNAVAILABLE',
      message: `The service ended before the ${JOB_KINDS[kind].noun} began. Send the request again.`,
    });
    // The webhook of an agent or extract hears of it.
    if (kind === 'agent' || kind === 'extract') await startDeliveries(id);
  }
}
