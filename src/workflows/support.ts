import {
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
} from '@temporalio/workflow';
import { JOB_KINDS, workflowIdOf } from '../job-kinds.ts';
import { supportSteps, supportTools } from './activities.ts';
import { childAttributes } from './child-attributes.ts';
import { recordedFailure } from './failure.ts';
import { QUEUES } from './queues.ts';
import type { scrape } from './scrape.ts';

/** The input of the workflow of a support question. Everything else is in the database. */
export interface SupportInput {
  jobId: string;
  /** Whether only the guides are to be consulted. */
  docsOnly?: boolean;
}

/** The answer is due after this many milliseconds; the client waits for at most a minute. */
const BUDGET_MS = 55_000;
/** The part of it that is for writing the answer. */
const WRITING_MS = 2_000;

/**
 * Answers a support question: reads what is known about the job and the team, explains it, and tests by
 * scrapes what may help. When time runs out, the answer is what was found out so far.
 * @returns the key of the answer
 */
export async function support(input: SupportInput): Promise<string> {
  const { jobId } = input;
  const deadline = Date.now() + BUDGET_MS;
  try {
    let isInvestigated = false;
    await endInTime(BUDGET_MS, async () => {
      if (input.docsOnly) await supportSteps.consultTool(jobId, 'docs');
      else await investigate(jobId, deadline - WRITING_MS);
      isInvestigated = true;
      // The answer is complete without it, only in other words.
      await supportSteps.phraseAnswer(jobId);
    });
    return await supportSteps.concludeSupport(jobId, !isInvestigated);
  } catch (error) {
    throw await recordedFailure({ jobId }, error);
  }
}

/** Runs work for a limited time, and cancels what is left of it then. */
async function endInTime(ms: number, work: () => Promise<void>): Promise<void> {
  try {
    await CancellationScope.withTimeout(ms, work);
  } catch (error) {
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
  }
}

async function investigate(jobId: string, deadline: number): Promise<void> {
  await Promise.all(supportTools.map((tool) => supportSteps.consultTool(jobId, tool)));
  const trials = await supportSteps.explainJob(jobId);
  for (let number = 0; number < trials; number++) {
    setCurrentDetails(`Testing ${number + 1} of ${trials} possible fixes.`);
    const trial = await supportSteps.prepareTrial(jobId, number, deadline - Date.now());
    if (!trial) return;
    await runTrial(trial);
    if (await supportSteps.judgeTrial(jobId, number, trial.jobId)) return;
  }
}

/**
 * Scrapes the page once more. A failure is a result as well. When time runs out, the scrape ends by its own
 * timeout.
 */
async function runTrial(trial: { jobId: string; timeoutMs: number }): Promise<void> {
  await executeChild<typeof scrape>(JOB_KINDS.scrape.workflow, {
    workflowId: workflowIdOf('scrape', trial.jobId),
    taskQueue: QUEUES.scrape,
    args: [trial],
    staticSummary: 'Test of a fix',
    typedSearchAttributes: childAttributes('scrape', undefined),
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
  }).catch((error) => {
    if (isCancellation(error)) throw error;
  });
}
