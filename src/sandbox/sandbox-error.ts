/**
 * Why a task failed: its process died, it exceeded a limit, or the program inside threw.
 */
export type SandboxFault = 'died' | 'memory' | 'processes' | 'output' | 'threw';

/** A task in a sandbox failed. The message is for the log. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly fault: SandboxFault;

  constructor(fault: SandboxFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
