import {
  CancellationScope,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  patched,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { OpenCall, TurnReport } from '../activities/agent/turn-report.ts';
import { toServiceError } from '../errors.ts';
import { workflowIdOf } from '../job-kinds.ts';
import { agentSteps } from './activities.ts';
import { childAttributes } from './child-attributes.ts';
import { startDeliveries } from './deliveries.ts';
import { logFailure } from './failure.ts';
import type { map } from './map.ts';
import type { scrape } from './scrape.ts';
import type { search } from './search.ts';
import { Outcome } from './search-attributes.ts';
import { stopAgent } from './signals.ts';

/** The input of the workflow of an agent or extract. Everything else is in the database. */
export interface AgentInput {
  jobId: string;
  /** Whether to start the delivery of webhook events. */
  webhook: boolean;
}

/** Runs an agent: turn by turn, the model decides which calls are executed, until it gives its result. */
export const agent = (input: AgentInput) => runTurns(input);

/** Runs an extract, whose first turns open the given URLs without asking the model. */
export const extract = (input: AgentInput) => runTurns(input);

async function runTurns({ jobId, webhook }: AgentInput): Promise<void> {
  let isStopped = false;
  let turnUnderWay: StoppableTurn | undefined;
  setHandler(stopAgent, () => {
    isStopped = true;
    // Runs that were stopped before this patch waited for their turn, and then executed its calls.
    if (turnUnderWay && patched('stop-leaves-turn')) turnUnderWay.leave();
  });
  try {
    if (webhook) await startDeliveries(jobId);
    let isEnd = false;
    for (let turn = 0; !isEnd && !isStopped; turn++) {
      turnUnderWay = new StoppableTurn(() => agentSteps.takeTurn(jobId, turn));
      const report = await turnUnderWay.report;
      turnUnderWay = undefined;
      if (!report) break;
      isEnd = report.isEnd;
      await executeCalls(jobId, report.calls);
    }
    await agentSteps.endRun(jobId, { status: isEnd ? 'ended' : 'cancelled' });
  } catch (error) {
    await CancellationScope.nonCancellable(() => endAfter(jobId, error));
    throw error;
  }
}

/**
 * A turn in which a model may be asked, which may take minutes. A run that is stopped does not wait until the
 * activity has noticed its cancellation, which takes up to a heartbeat.
 */
class StoppableTurn {
  readonly #scope = new CancellationScope();
  readonly #left = Promise.withResolvers<undefined>();
  /** The report of the turn; `undefined` if it was left. */
  readonly report: Promise<TurnReport | undefined>;

  constructor(take: () => Promise<TurnReport>) {
    this.report = Promise.race([this.#left.promise, this.#scope.run(take)]);
  }

  /** Cancels the turn. Nothing that it decides afterwards is stored. */
  leave(): void {
    this.#left.resolve(undefined);
    this.#scope.cancel();
  }
}

/** Ends a run whose workflow was cancelled in Temporal, or one of whose turns has failed for good. */
async function endAfter(jobId: string, error: unknown): Promise<void> {
  if (isCancellation(error)) return agentSteps.endRun(jobId, { status: 'cancelled' });
  const { code, message } = logFailure(toServiceError(error));
  upsertSearchAttributes([{ key: Outcome, value: code }]);
  return agentSteps.endRun(jobId, { status: 'failed', error: { code, message } });
}

/**
 * Executes calls side by side. When one of them fails or the run is cancelled, the others are cancelled and waited for:
 * children that still run would be terminated together with this workflow, their jobs would never end, and their
 * slots would not be free.
 */
async function executeCalls(jobId: string, calls: readonly OpenCall[]): Promise<void> {
  const scope = new CancellationScope();
  const running = await scope.run(async () => calls.map((call) => executeCall(jobId, call)));
  try {
    await Promise.all(running);
  } catch (error) {
    // Earlier versions ended at once.
    if (patched('calls-end')) {
      scope.cancel();
      await CancellationScope.nonCancellable(() => Promise.allSettled(running));
    }
    throw error;
  }
}

async function executeCall(jobId: string, { sequence, label, child }: OpenCall): Promise<void> {
  if (child) {
    const { kind, id, timeoutMs, host } = child;
    const options = {
      workflowId: workflowIdOf(kind, id),
      args: [{ jobId: id, timeoutMs, label }] as [Parameters<typeof scrape>[0]],
      staticSummary: label,
      typedSearchAttributes: childAttributes(kind, host),
    };
    try {
      await executeChild<typeof scrape | typeof map | typeof search>(kind, options);
    } catch (error) {
      // The row of the job says why it failed, and the model learns it from there.
      if (!(error instanceof ChildWorkflowFailure)) throw error;
    }
  }
  await agentSteps.finishCall(jobId, sequence, label);
}
