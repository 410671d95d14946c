import { untilAborted } from './until-aborted.ts';

/** A call that waits for a slot. */
type Start = () => void;

/**
 * Limits the number of calls that are open at once. Their owners take turns, such as teams, and the calls of
 * an owner begin in the order of their arrival.
 */
export class CallSlots {
  #free: number;
  /** The waiting calls of each owner; the one whose turn is next comes first. */
  readonly #waiting = new Map<string, Start[]>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs a call when there is a slot for it.
   * @throws the reason of the signal if it fires before there is a slot
   */
  async run<Result>(
    call: () => Promise<Result>,
    { owner, signal }: { owner: string; signal: AbortSignal },
  ): Promise<Result> {
    await this.#take(owner, signal);
    try {
      return await call();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    const [owner, [start, ...others]] = next;
    this.#waiting.delete(owner);
    // The owner goes to the end of the line with its other calls.
    if (others.length > 0) this.#waiting.set(owner, others);
    start?.();
  }

  async #take(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), resolve]);
    try {
      await untilAborted(() => promise, signal);
    } catch (reason) {
      // A slot that came at the same time goes to the next one.
      if (!this.#leave(owner, resolve)) this.#release();
      throw reason;
    }
  }

  /** Takes a call out of the line. @returns whether it was in it */
  #leave(owner: string, start: Start): boolean {
    const calls = this.#waiting.get(owner) ?? [];
    const others = calls.filter((each) => each !== start);
    if (others.length === calls.length) return false;
    if (others.length > 0) this.#waiting.set(owner, others);
    else this.#waiting.delete(owner);
    return true;
  }
}
