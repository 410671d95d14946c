import { every } from './every.ts';

/** A task that waits for its place. */
interface Waiting {
  owner: string;
  start(): void;
}

/** The tasks of one owner. */
interface Share {
  /** Number of its tasks that run, the long ones included. */
  running: number;
  /** Number of the task that it started last, of all owners. */
  lastStart: number;
}

/** Options of {@link Places}. */
interface PlacesOptions {
  /** Maximum number of tasks at once, except for long ones. */
  count: number;
  /** Milliseconds after which a task counts as long. */
  longTaskMs: number;
}

/**
 * The places of a pool of threads or sandboxed processes. The next free one goes to the owner with the fewest
 * running tasks, so that the many pages or documents of one team do not hold up those of the others. While a
 * task takes long, the next one begins, so that long tasks do not hold up short ones; at most as many long
 * tasks as there are places run besides the others.
 */
export class Places {
  readonly #options: PlacesOptions;
  /** Number of tasks that have a place, i.e. without the long ones. */
  #running = 0;
  #long = 0;
  #starts = 0;
  readonly #shares = new Map<string, Share>();
  /** In the order of their requests. */
  readonly #waiting: Waiting[] = [];

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /**
   * Waits for a place.
   * @returns the function that leaves it
   * @throws the reason of the signal
   */
  async take(owner: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { owner, start: resolve };
    const onAbort = () => {
      const position = this.#waiting.indexOf(entry);
      // It may be its turn already.
      if (position < 0) return;
      this.#waiting.splice(position, 1);
      reject(signal.reason);
    };
    this.#waiting.push(entry);
    signal.addEventListener('abort', onAbort);
    this.#startNext();
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
    return this.#watchLength(owner);
  }

  /** Lets a task leave its place once it counts as long. @returns the function that ends the task */
  #watchLength(owner: string): () => void {
    const { count, longTaskMs } = this.#options;
    let isLong = false;
    const timer = every(longTaskMs, () => {
      if (this.#long >= count) return;
      clearInterval(timer);
      isLong = true;
      this.#long++;
      this.#running--;
      this.#startNext();
    });
    return () => {
      clearInterval(timer);
      if (isLong) this.#long--;
      else this.#running--;
      const share = this.#shares.get(owner);
      if (share) share.running--;
      this.#startNext();
      if (share?.running === 0 && !this.#waiting.some((entry) => entry.owner === owner))
        this.#shares.delete(owner);
    };
  }

  #startNext(): void {
    while (this.#running < this.#options.count) {
      const next = this.#findNext();
      if (!next) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#running++;
      const { running } = this.#shareOf(next.owner);
      this.#shares.set(next.owner, { running: running + 1, lastStart: ++this.#starts });
      next.start();
    }
  }

  /**
   * The first request of the owner with the fewest running tasks, of those with as few the one that started a
   * task least recently.
   */
  #findNext(): Waiting | undefined {
    let best: { entry: Waiting; share: Share } | undefined;
    for (const entry of this.#waiting) {
      const share = this.#shareOf(entry.owner);
      if (share.running < this.#maxOfOwner && (!best || isBefore(share, best.share))) best = { entry, share };
    }
    return best?.entry;
  }

  #shareOf(owner: string): Share {
    return this.#shares.get(owner) ?? { running: 0, lastStart: 0 };
  }

  /** One place always remains for other owners, unless there is only one. */
  get #maxOfOwner(): number {
    const { count } = this.#options;
    return count === 1 ? 2 : 2 * count - 1;
  }
}

const isBefore = (one: Share, other: Share) =>
  one.running < other.running || (one.running === other.running && one.lastStart < other.lastStart);
