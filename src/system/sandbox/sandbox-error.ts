import type { Logger } from '../logger.ts';

/**
 * Why a task failed: its process died, the kernel ended it because the machine or container had no memory left,
 * it exceeded a limit of its own, or the program inside threw.
 */
export type SandboxFault = 'died' | 'memory-short' | 'memory' | 'processes' | 'output' | 'threw';

/** A task in a sandbox failed. The message is for the log. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly fault: SandboxFault;
  /** The text that the program printed or threw, which may quote its input. */
  readonly details: string;

  constructor(fault: SandboxFault, message: string, details = '') {
    super(message);
    this.fault = fault;
    this.details = details;
  }
}

/** The part of a log that failures of tasks need. */
export type SandboxLogger = Pick<Logger, 'warn' | 'debug'>;

/**
 * Logs the failure of a task. Its details are only logged at the level `debug`, because they may quote input
 * that must not be kept.
 */
export function logSandboxFailure(
  logger: SandboxLogger,
  { fault, message, details }: SandboxError,
  event: string,
): void {
  logger.warn({ fault, reason: message }, event);
  if (details) logger.debug({ fault, details }, event);
}
