/** A limited number of slots, with a queue of those who wait for one. */
export class Slots {
  readonly #count: number;
  #taken = 0;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * Takes a slot, which the caller has to release. Resolves in the order of the calls.
   * @throws the signal's reason when it fires before a slot is free
   */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#count) {
      this.#taken++;
      return;
    }
    await this.#waitForTurn(signal);
  }

  /** Passes the slot to the first in the queue, if any. */
  release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#taken--;
  }

  #waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      const abandon = () => {
        this.#queue.splice(this.#queue.indexOf(proceed), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#queue.push(proceed);
    });
  }
}
