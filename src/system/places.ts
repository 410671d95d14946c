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
  /** Maximum number of tasks at once, except for long ones and one of an owner without another task. */
  count: number;
  /** Milliseconds after which a task counts as long. */
  longTaskMs: number;
  /** Whether the machine has the memory for another task besides those that run; by default it has. */
  hasRoom?(): boolean;
}

/** How often tasks that wait for memory look whether there is room for them, in milliseconds. */
const ROOM_POLL_MS = 250;

/**
 * The places of a pool of threads or sandboxed processes. The next free one goes to the owner with the fewest
 * running tasks, so that the many pages or documents of one team do not hold up those of the others. While
 * the places are taken, an owner without a running task gets one more, so that its quick task does not wait
 * until those of the others count as long. While a task takes long, the next one begins, so that long tasks
 * do not hold up short ones; at most as many long tasks as there are places run besides the others. Without
 * room in memory, one task runs at a time. Tasks that have to be alone take turns by owner as well, and
 * between two of them as many others begin as there are places.
 */
export class Places {
  readonly #options: Required<PlacesOptions>;
  /** Number of tasks that have a place, i.e. without the long ones. */
  #running = 0;
  #long = 0;
  #starts = 0;
  readonly #shares = new Map<string, Share>();
  /** In the order of their requests. */
  readonly #waiting: Waiting[] = [];
  /** Tasks that wait until no other one runs. */
  readonly #waitingAlone: Waiting[] = [];
  /** How many other tasks come before the next one that has to be alone. */
  #turnsOfOthers = 0;
  #isOneAlone = false;
  #roomPoll: NodeJS.Timeout | undefined;

  constructor(options: PlacesOptions) {
    this.#options = { hasRoom: () => true, ...options };
  }

  /** How many tasks run, the long ones included, and how many wait. */
  get usage(): { running: number; waiting: number } {
    return {
      running: this.#running + this.#long,
      waiting: this.#waiting.length + this.#waitingAlone.length,
    };
  }

  /**
   * Waits for a place.
   * @returns the function that leaves it
   * @throws the reason of the signal
   */
  async take(owner: string, signal: AbortSignal): Promise<() => void> {
    await this.#wait(owner, signal, this.#waiting);
    return this.#watchLength(owner);
  }

  /**
   * Waits until no other task runs, and lets none begin until this one leaves or counts as long. It is for a
   * task that found too little memory beside others. While it waits for long tasks, others may begin, so that
   * it holds nobody up for longer than it takes a task to count as long.
   * @returns the function that leaves it
   * @throws the reason of the signal
   */
  async takeAlone(owner: string, signal: AbortSignal): Promise<() => void> {
    await this.#wait(owner, signal, this.#waitingAlone);
    return this.#watchLength(owner, () => {
      this.#isOneAlone = false;
    });
  }

  async #wait(owner: string, signal: AbortSignal, queue: Waiting[]): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { owner, start: resolve };
    const onAbort = () => {
      const position = queue.indexOf(entry);
      // It may be its turn already.
      if (position < 0) return;
      queue.splice(position, 1);
      reject(signal.reason);
      this.#startNext();
    };
    queue.push(entry);
    signal.addEventListener('abort', onAbort);
    this.#startNext();
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /**
   * Lets a task leave its place once it counts as long.
   * @param onLeave called when it leaves its place
   * @returns the function that ends the task
   */
  #watchLength(owner: string, onLeave: () => void = () => undefined): () => void {
    const { count, longTaskMs } = this.#options;
    let isLong = false;
    const timer = every(longTaskMs, () => {
      if (this.#long >= count) return;
      clearInterval(timer);
      isLong = true;
      this.#long++;
      this.#running--;
      onLeave();
      this.#startNext();
    });
    return () => {
      clearInterval(timer);
      if (isLong) this.#long--;
      else {
        this.#running--;
        onLeave();
      }
      const share = this.#shares.get(owner);
      if (share) share.running--;
      this.#startNext();
      if (share?.running === 0 && !this.#isWaiting(owner)) this.#shares.delete(owner);
    };
  }

  #startNext(): void {
    let next = this.#findStartable();
    while (next && this.#hasRoom()) {
      const { entry, queue } = next;
      queue.splice(queue.indexOf(entry), 1);
      this.#isOneAlone = queue === this.#waitingAlone;
      this.#turnsOfOthers = this.#isOneAlone ? this.#options.count : Math.max(0, this.#turnsOfOthers - 1);
      this.#running++;
      const { running } = this.#shareOf(entry.owner);
      this.#shares.set(entry.owner, { running: running + 1, lastStart: ++this.#starts });
      entry.start();
      next = this.#findStartable();
    }
    // Tasks that end free memory, but so does anything else on the machine.
    if (next) this.#roomPoll ??= every(ROOM_POLL_MS, () => this.#startNext());
    else {
      clearInterval(this.#roomPoll);
      this.#roomPoll = undefined;
    }
  }

  #hasRoom(): boolean {
    return this.#running + this.#long === 0 || this.#options.hasRoom();
  }

  /** The next task for which there is a place. */
  #findStartable(): { entry: Waiting; queue: Waiting[] } | undefined {
    const { count } = this.#options;
    if (this.#isOneAlone || this.#running > count || this.#running + this.#long >= 2 * count)
      return undefined;
    if (this.#running === count) return this.#findNewcomer();
    const alone = this.#findNext(this.#waitingAlone);
    const entry = this.#findNext(this.#waiting);
    if (alone && this.#long === 0 && !(entry && this.#turnsOfOthers > 0))
      return this.#running === 0 ? { entry: alone, queue: this.#waitingAlone } : undefined;
    return entry && { entry, queue: this.#waiting };
  }

  /** The next task of an owner that has none running, unless another task waits to be alone. */
  #findNewcomer(): { entry: Waiting; queue: Waiting[] } | undefined {
    if (this.#waitingAlone.length > 0) return undefined;
    const queue = this.#waiting;
    const entry = this.#findNext(queue);
    return entry && this.#shareOf(entry.owner).running === 0 ? { entry, queue } : undefined;
  }

  /**
   * The first request in a queue of the owner with the fewest running tasks, of those with as few the one
   * that started a task least recently.
   */
  #findNext(queue: readonly Waiting[]): Waiting | undefined {
    let best: { entry: Waiting; share: Share } | undefined;
    for (const entry of queue) {
      const share = this.#shareOf(entry.owner);
      if (share.running < this.#maxOfOwner && (!best || isBefore(share, best.share))) best = { entry, share };
    }
    return best?.entry;
  }

  #isWaiting(owner: string): boolean {
    return [this.#waiting, this.#waitingAlone].some((queue) => queue.some((entry) => entry.owner === owner));
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
