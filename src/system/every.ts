import { messageOf } from '../errors.ts';

/**
 * Repeats a task until `clearInterval` ends it. An error of the task is reported and the next turn comes all
 * the same: thrown in a timer, it would end the process, and with it the work of all teams.
 * @param intervalMs milliseconds between the beginnings of two turns; a task that takes longer overlaps with
 * itself
 * @param task what is done; a promise that it returns is waited for, so that its error is reported too
 * @param onError called with what a turn of the task has thrown; by default it becomes a warning of the process
 */
export function every(
  intervalMs: number,
  task: () => unknown,
  onError: (error: unknown) => void = (error) =>
    process.emitWarning(`A repeated task failed: ${messageOf(error)}`),
): NodeJS.Timeout {
  const turn = async (): Promise<unknown> => task();
  return setInterval(() => void turn().catch(onError), intervalMs);
}
