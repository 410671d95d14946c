import type { Step } from '../storage/agent-steps/step.ts';

/** How a session is used, as the Temporal UI shows it. */
export interface SessionUsage {
  /** Calls of code, and prompts, so far. */
  calls: number;
  /** The prompts among them. */
  prompts: number;
  /** How often prompts have used each tool so far. */
  promptSteps: Partial<Record<Step['tool'], number>>;
  /** Protocol clients that are connected now, those of code included. */
  clients: number;
  /** Viewers of the live view now. */
  viewers: number;
  /** The most viewers that there were at once. */
  mostViewers: number;
}
