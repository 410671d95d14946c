import { untilAborted } from '../system/until-aborted.ts';

/** Lets calls that must not run side by side take turns, in the order in which they arrive. */
export class CallTurns {
  /** The end of the last call. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Waits until no earlier call runs.
   * @returns the function that lets the next one run
   * @throws the reason of the signal, which ends the wait
   */
  async take(signal: AbortSignal): Promise<() => void> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = previous.then(() => promise);
    try {
      await untilAborted(() => previous, signal);
      return resolve;
    } catch (error) {
      resolve();
      throw error;
    }
  }
}
