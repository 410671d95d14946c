/** Minimum milliseconds between two claims, so that a claim finds several pages. */
const CLAIM_PAUSE_MS = 50;
/** Milliseconds until the next claim after one that found fewer pages than requested. */
const EMPTY_PAUSE_MS = 150;
/**
 * Milliseconds from the first request that ends to the claim of the next pages. Requests that began together
 * end nearly together, and a single claim then replaces all of them.
 */
const GATHER_MS = 10;

/**
 * Decides when a page worker claims pages again: a moment after its first request or page has ended, or after
 * a pause if nothing has ended. All times are milliseconds on one clock.
 */
export class ClaimPace {
  #claimedAt = Number.NEGATIVE_INFINITY;
  #foundAll = true;
  /** When the first request or page since the last claim ended. */
  #freedAt: number | undefined;

  /** The earliest time of the next claim. */
  get dueAt(): number {
    const pausedUntil = this.#claimedAt + CLAIM_PAUSE_MS;
    if (this.#foundAll) return pausedUntil;
    if (this.#freedAt !== undefined) return Math.max(pausedUntil, this.#freedAt + GATHER_MS);
    return this.#claimedAt + EMPTY_PAUSE_MS;
  }

  /** Notes that a claim begins. What ends while it runs makes room for the claim after it. */
  begin(now: number): void {
    this.#claimedAt = now;
    this.#foundAll = false;
    this.#freedAt = undefined;
  }

  /** Notes that the last claim found as many pages as it requested, so that there are probably more. */
  foundAll(): void {
    this.#foundAll = true;
  }

  /**
   * Notes that a request or a page has ended, so that its host or the page worker has room for another one.
   */
  freed(now: number): void {
    this.#freedAt ??= now;
  }
}
