import type { ToolName } from './tool-name.ts';

/** The states of a step. */
export type StepState = 'running' | 'done' | 'failed';

/** A turn of the model, or a call of a tool. A run is the list of its steps. */
export interface Step {
  /** Its place in the run, from 0. */
  sequence: number;
  /** The number of the turn that it belongs to, from 0. */
  turn: number;
  /**
   * `think` is a turn of the model, `plan` one that needs no model, `unknown` the call of a tool that does
   * not exist.
   */
  tool: ToolName | 'think' | 'plan' | 'unknown';
  /** One line for people, such as the URL of a page. */
  summary: string;
  input: Record<string, unknown>;
  state: StepState;
  credits: number;
  /** Why the step failed, in a sentence for the model. */
  error: string | null;
  /** Key of the blob with its result. */
  blob: string | null;
  /** The job that does its work: a scrape, map or search. */
  childId: string | null;
}

/** A call of a tool that a turn adds. It has failed already if it has an error. */
export interface NewCall extends Pick<Step, 'tool' | 'summary' | 'input' | 'error'> {
  /** Credits that it may cost at most. */
  reserved: number;
}

/** Whether a step is a call of a tool rather than a turn. */
export const isCall = ({ tool }: Pick<Step, 'tool'>) => tool !== 'think' && tool !== 'plan';

/** Lists the calls of a turn in their order. */
export const callsOfTurn = (steps: readonly Step[], turn: number): Step[] =>
  steps.filter((step) => step.turn === turn && isCall(step));

/** Credits of a run beside those of its steps. */
export const RUN_CREDITS = 4;

/**
 * Calculates the credits of a run.
 * @param limits.hasResult whether it gave a result; otherwise it costs only its steps
 */
export function priceOfRun(
  steps: readonly Pick<Step, 'credits'>[],
  { maxCredits, hasResult }: { maxCredits: number; hasResult: boolean },
): number {
  const spent = steps.reduce((sum, { credits }) => sum + credits, 0);
  return Math.min(maxCredits, spent + (hasResult ? RUN_CREDITS : 0));
}

/**
 * Gives calls their error if the credits that they reserve are more than the team has left.
 * @param available credits for all of them together
 */
export function withinTeamCredits<Call extends NewCall>(calls: readonly Call[], available: number): Call[] {
  let left = available;
  return calls.map((call) => {
    if (call.error !== null || call.reserved === 0) return call;
    left -= call.reserved;
    if (left >= 0) return call;
    left += call.reserved;
    const error =
      'Other work of the team needs the credits that it has left. Call answer with what is known.';
    return { ...call, error, reserved: 0 };
  });
}

/** Returns how many credits the next steps of a run may cost. */
export function remainingCredits(steps: readonly Pick<Step, 'credits'>[], maxCredits: number): number {
  return maxCredits - RUN_CREDITS - priceOfRun(steps, { maxCredits, hasResult: false });
}
