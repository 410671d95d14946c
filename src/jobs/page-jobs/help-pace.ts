/**
 * Milliseconds between two requests for another page worker by one that claims no more pages, but still
 * scrapes some.
 */
const HELP_PAUSE_MS = 1_000;
/**
 * Milliseconds without progress of the job after which one that claims no more pages requests another page
 * worker again, because all others may have ended while it holds a page that takes long. The time doubles
 * with each request.
 */
const FIRST_STALL_MS = 3_000;

/**
 * Decides when a page worker requests another one: once while it claims pages and holds as many as it can,
 * and after the end of claiming, again whenever it holds fewer pages than the last time, or nobody makes
 * progress. All times are milliseconds on one clock.
 */
export class HelpPace {
  readonly #claimUntil: number;
  /** Whether a claim has found as many pages as the page worker can hold. */
  #wasFull = false;
  #requestedAt = 0;
  /** Number of pages that were held at the last request after the end of claiming. */
  #heldAtRequest = Number.POSITIVE_INFINITY;
  /** When the job last made progress, or another page worker was requested because it had not. */
  #progressAt: number;
  /** Milliseconds without progress until the next such request. */
  #stallMs = FIRST_STALL_MS;

  /** @param claimUntil when the page worker claims no more pages */
  constructor(now: number, claimUntil: number) {
    this.#progressAt = now;
    this.#claimUntil = claimUntil;
  }

  /**
   * Notes that a claim has found as many pages as the page worker can hold, so that there are probably more.
   */
  foundAll(): void {
    this.#wasFull = true;
  }

  /** Notes that the number of open pages of the job has changed. */
  progressed(now: number): void {
    this.#progressAt = now;
    this.#stallMs = FIRST_STALL_MS;
  }

  /**
   * @param isClaiming whether the page worker still claims pages
   * @param held number of pages that it holds
   * @returns whether to request another page worker, which then counts as requested
   */
  isDue(now: number, { isClaiming, held }: { isClaiming: boolean; held: number }): boolean {
    if (isClaiming) {
      if (!this.#wasFull || this.#requestedAt) return false;
    } else {
      const isTooSoon = now - Math.max(this.#claimUntil, this.#requestedAt) < HELP_PAUSE_MS;
      const isStalled = now - this.#progressAt >= this.#stallMs;
      if (isTooSoon || (held >= this.#heldAtRequest && !isStalled)) return false;
      if (isStalled) [this.#progressAt, this.#stallMs] = [now, 2 * this.#stallMs];
      this.#heldAtRequest = held;
    }
    this.#requestedAt = now;
    return true;
  }
}
