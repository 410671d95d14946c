/** What an owner has used of the threads. */
interface Use {
  /** Milliseconds, of which half are forgotten after {@link HALF_LIFE_MS}. */
  usedMs: number;
  atMs: number;
}

const HALF_LIFE_MS = 2_000;
/** What an owner uses who takes a seventh of a processor all the time, or 0.4 s at once. */
const HEAVY_MS = 400;
/** Milliseconds after which an owner without a new task is forgotten. */
const ABSENT_AFTER_MS = 10_000;

/**
 * Remembers how much time of the threads each owner has lately used, so that those who use much can give way to the
 * others.
 */
export class RecentUse {
  readonly #uses = new Map<string, Use>();
  readonly #now: () => number;

  /** @param now the time in milliseconds, from any moment on */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Adds a task that took so many milliseconds. */
  add(owner: string, tookMs: number): void {
    const atMs = this.#now();
    this.#uses.set(owner, { usedMs: this.#remembered(this.#uses.get(owner), atMs) + tookMs, atMs });
  }

  /** Whether an owner has lately used much, while there are others. */
  isHeavyBesideOthers(owner: string): boolean {
    const atMs = this.#now();
    for (const [other, use] of this.#uses) if (atMs - use.atMs > ABSENT_AFTER_MS) this.#uses.delete(other);
    const own = this.#uses.get(owner);
    return own !== undefined && this.#uses.size > 1 && this.#remembered(own, atMs) > HEAVY_MS;
  }

  #remembered(use: Use | undefined, atMs: number): number {
    return use ? use.usedMs * 0.5 ** ((atMs - use.atMs) / HALF_LIFE_MS) : 0;
  }
}
