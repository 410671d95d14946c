import { type ChildKind, isChildKind } from '../../storage/agent-steps/child-job.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import type { AgentRun } from '../../storage/db/jobs/agent-steps.ts';
import { withoutCredentials } from '../../url/credentials.ts';
import { toStoredRun } from './run-task.ts';

/** A call that the workflow of a run has to execute. */
export interface OpenCall {
  sequence: number;
  /** The text that the Temporal UI shows for it. */
  label: string;
  /** The job that does its work. */
  child?: { kind: ChildKind; id: string; timeoutMs: number; host?: string };
}

/** The next calls of a run; it ends if it has no calls and another turn is not wanted. */
export interface TurnReport {
  calls: OpenCall[];
  isEnd: boolean;
}

/** The default timeout of maps, searches and the scrapes of agents, in milliseconds. */
const CHILD_TIMEOUT_MS = 60_000;

/** Reports the calls of a turn to the workflow of a run. */
export function reportTurn(run: AgentRun, calls: readonly Step[]): TurnReport {
  const { kind, request } = toStoredRun(run);
  const scrapeTimeoutMs = kind === 'extract' ? request.scrapeOptions.timeout : CHILD_TIMEOUT_MS;
  return {
    isEnd: false,
    calls: calls.map(({ sequence, tool, summary, input, childId: id }) => ({
      sequence,
      // The words of a search may come from the prompt, which is not shown.
      label: tool === 'search' ? tool : `${tool} ${withoutCredentials(summary)}`.slice(0, 120),
      ...(id !== null &&
        isChildKind(tool) && {
          child: {
            kind: tool,
            id,
            timeoutMs: tool === 'scrape' ? scrapeTimeoutMs : CHILD_TIMEOUT_MS,
            ...hostOf(input.url),
          },
        }),
    })),
  };
}

/** The host of the URL of a call, by which the Temporal UI finds its job. */
function hostOf(url: unknown): { host?: string } {
  const host = URL.parse(String(url))?.host;
  return host ? { host } : {};
}
