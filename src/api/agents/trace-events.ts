import { isCall } from '../../storage/agent-steps/step.ts';
import type { StoredStep } from '../../storage/db/jobs/agent-steps.ts';

/** An event of a trace before it has its place. */
interface PlainEvent {
  type:
    | 'run.started'
    | 'reasoning.summary'
    | 'artifact.updated'
    | 'tool_call.started'
    | 'tool_call.finished'
    | 'run.finished';
  at: Date;
  [name: string]: unknown;
}

/**
 * Writes the steps of an agent as the events of its trace, in the order of their times.
 * @param run.finishedAt `null` while it runs
 */
export function traceEvents(
  runId: string,
  run: { createdAt: Date; finishedAt: Date | null; status: string },
  steps: readonly StoredStep[],
) {
  const events: PlainEvent[] = [
    { type: 'run.started', at: run.createdAt },
    ...steps.flatMap(stepEvents),
    ...(run.finishedAt
      ? [{ type: 'run.finished' as const, at: run.finishedAt, ...outcomeOf(run.status) }]
      : []),
  ];
  const inOrder = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return inOrder.map(({ at, type, ...rest }, index) => ({
    schemaVersion: 1 as const,
    eventId: `${runId}-${index}`,
    runId,
    producerSequence: index,
    occurredAt: at.toISOString(),
    agent: { id: runId, role: 'orchestrator', name: 'agent' },
    type,
    ...rest,
  }));
}

const outcomeOf = (status: string) => ({
  outcome: status === 'completed' ? 'succeeded' : status,
  error: null,
});

function stepEvents(step: StoredStep): PlainEvent[] {
  const { sequence, tool, summary, input, state, credits, error, startedAt, finishedAt, childId } = step;
  if (!isCall(step)) return [{ type: 'reasoning.summary', at: startedAt, text: summary }];
  const call = { toolCallId: String(sequence), toolName: tool, summary };
  const jobId = childId === null ? {} : { jobId: childId };
  const result = { status: state, creditsUsed: credits, ...jobId, ...(error !== null && { error }) };
  return [
    { type: 'tool_call.started', at: startedAt, ...call, parameters: input, ...jobId },
    ...(finishedAt ? [{ type: 'tool_call.finished' as const, at: finishedAt, ...call, result }] : []),
    ...(finishedAt && snapshotOf(step) !== undefined
      ? [{ type: 'artifact.updated' as const, at: finishedAt, artifact: artifactOf(step) }]
      : []),
  ];
}

/** The result as an artifact, whose content `GET /v2/agent/{id}/snapshots/{snapshotId}` returns. */
const artifactOf = ({ sequence }: StoredStep) => ({
  kind: 'json',
  artifactId: 'result',
  snapshotId: String(sequence),
  change: 'init',
  sourceToolCallId: String(sequence),
});

/**
 * Returns the data of a result as JSON.
 * @returns `undefined` for other steps, and for results that were refused
 */
export const snapshotOf = ({ tool, state, input }: StoredStep): string | undefined =>
  tool === 'answer' && state === 'done' ? JSON.stringify(input.data) : undefined;
