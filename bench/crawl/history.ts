import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { connectTemporal } from '../../src/temporal/connection.ts';

/** The size of a job's histories in Temporal. */
export interface History {
  /** Number of runs: one, and one more for each continue-as-new. */
  runs: number;
  /** Number of events in all runs. */
  events: number;
  /** Number of events in the longest run. */
  longest: number;
  /** Size of the largest history in KB. */
  largestKb: number;
}

/** Reads the histories of a workflow that has ended or is about to end. */
export async function readHistory(address: string, workflowId: string): Promise<History> {
  const connection = await connectTemporal(address);
  const { workflow } = new Client({ connection });
  try {
    await workflow.getHandle(workflowId).result();
    const last = await workflow.getHandle(workflowId).describe();
    const runIds = await listRuns(workflow, workflowId, last.runId);
    const runs = await Promise.all(runIds.map((runId) => workflow.getHandle(workflowId, runId).describe()));
    return {
      runs: runs.length,
      events: runs.reduce((sum, { historyLength }) => sum + historyLength, 0),
      longest: Math.max(...runs.map(({ historyLength }) => historyLength)),
      largestKb: Math.max(...runs.map(({ historySize = 0 }) => historySize)) / 1024,
    };
  } finally {
    await connection.close();
  }
}

/** Lists the runs. The list lags behind, so this waits until it contains the last run. */
async function listRuns(
  workflow: Client['workflow'],
  workflowId: string,
  lastRunId: string,
): Promise<string[]> {
  for (;;) {
    const runIds: string[] = [];
    for await (const { runId } of workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      runIds.push(runId);
    if (runIds.includes(lastRunId)) return runIds;
    await sleep(500);
  }
}
