/** Who waits for a slot. */
interface Waiting {
  owner: string;
  start(): void;
}

/** While all slots are taken, this part of as many more is for owners that have none. */
const MORE_FOR_NEWCOMERS = 1 / 4;

/** How many slots there are at most, with those for owners that have none. */
export const mostSlots = (count: number): number => count + Math.ceil(count * MORE_FOR_NEWCOMERS);

/**
 * A limited number of slots. The next free one goes to the owner with the fewest, of those with as few to the
 * one that has waited longest. While all are taken, an owner without a slot gets one more, so that it does not
 * wait until the pages of another one end, which may be made to last.
 */
export class Slots {
  readonly #count: number;
  readonly #most: number;
  #taken = 0;
  readonly #ofOwners = new Map<string, number>();
  /** In the order of their requests. */
  readonly #queue: Waiting[] = [];

  constructor(count: number) {
    this.#count = count;
    this.#most = mostSlots(count);
  }

  /** Number of slots that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Number of those who wait for a slot. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Takes a slot, which the caller has to release.
   * @param owner such as a team
   * @throws the signal's reason when it fires before a slot is free
   */
  async acquire(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { owner, start: resolve };
    const abandon = () => {
      const position = this.#queue.indexOf(waiting);
      // It may have got its slot already.
      if (position < 0) return;
      this.#queue.splice(position, 1);
      reject(signal.reason);
    };
    this.#queue.push(waiting);
    signal.addEventListener('abort', abandon);
    this.#startNext();
    await promise.finally(() => signal.removeEventListener('abort', abandon));
  }

  /** Gives a slot of an owner back, which the next one gets, if any waits. */
  release(owner: string): void {
    this.#taken--;
    const left = this.#slotsOf(owner) - 1;
    if (left > 0) this.#ofOwners.set(owner, left);
    else this.#ofOwners.delete(owner);
    this.#startNext();
  }

  #startNext(): void {
    for (let next = this.#findNext(); next; next = this.#findNext()) {
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#taken++;
      this.#ofOwners.set(next.owner, this.#slotsOf(next.owner) + 1);
      next.start();
    }
  }

  #findNext(): Waiting | undefined {
    if (this.#taken >= this.#most) return undefined;
    const best = this.#queue.reduce<Waiting | undefined>(
      (first, each) => (first && this.#slotsOf(first.owner) <= this.#slotsOf(each.owner) ? first : each),
      undefined,
    );
    return best && (this.#taken < this.#count || this.#slotsOf(best.owner) === 0) ? best : undefined;
  }

  #slotsOf(owner: string): number {
    return this.#ofOwners.get(owner) ?? 0;
  }
}
