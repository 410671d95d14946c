import type { Claim } from '../../storage/db/pages/claims.ts';
import type { RecordAndClaimResult } from '../../storage/db/pages/record-and-claim.ts';

/** Maximum number of pages that a page worker scrapes at once. */
export const PAGES_PER_WORKER = 16;
/**
 * Maximum number of pages that a page worker claims ahead: they begin as other requests to their host end,
 * without the time that a claim takes.
 */
const PAGES_AHEAD = 8;
/**
 * Pages are claimed ahead while requests take less than this many milliseconds. A page that waits for its
 * host longer should not use a slot of its team meanwhile.
 */
const QUICK_REQUEST_MS = 1_000;
/**
 * Pages end in quick succession while as many as a page worker scrapes at once end within this many
 * milliseconds. Pages claimed ahead then begin soon, even if those under way wait for a rendering thread.
 */
const QUICK_SUCCESSION_MS = 500;

/** Options of {@link ClaimedPages}. */
interface ClaimedPagesOptions {
  /** Whether pages may be claimed before their requests can begin. */
  claimsAhead: boolean;
  /** No page begins after it has fired. */
  signal: AbortSignal;
  /** Begins to scrape a page. */
  start: (claim: Claim) => void;
}

/**
 * The pages that a page worker has claimed and that have not ended: those under way, and those ahead, which
 * begin as their hosts have room.
 */
export class ClaimedPages {
  readonly #options: ClaimedPagesOptions;
  readonly #underWay = new Set<Claim>();
  /** Pages that were claimed ahead and have not begun. */
  #ahead: Claim[] = [];
  /** Number of requests under way by host. */
  readonly #openRequests = new Map<string, number>();
  /** Whether the last request that ended was a quick one. */
  #isQuick = false;
  /** When the last pages ended, at most {@link PAGES_PER_WORKER} of them, the earliest first. */
  readonly #endedAt: number[] = [];
  /** Hosts that asked us to slow down, until that is recorded. */
  readonly #restingHosts = new Set<string>();
  #job: Pick<RecordAndClaimResult, 'allowed' | 'delayMs'> = { allowed: new Map(), delayMs: null };

  constructor(options: ClaimedPagesOptions) {
    this.#options = options;
  }

  /** Whether no page is under way. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Whether as many pages are under way as may be. */
  get isFull(): boolean {
    return this.#underWay.size === PAGES_PER_WORKER;
  }

  /** Whether so few pages are ahead that more should be claimed. */
  get isAheadLow(): boolean {
    return this.#ahead.length <= PAGES_AHEAD / 2;
  }

  /** Number of pages. */
  get count(): number {
    return this.#underWay.size + this.#ahead.length;
  }

  /**
   * The number of pages that may be claimed now. A job with a delay sends one request at a time, however long
   * it takes.
   */
  get room(): number {
    if (this.#job.delayMs && this.#openRequests.size > 0) return 0;
    return PAGES_PER_WORKER - this.#underWay.size;
  }

  /** The number of pages that may be claimed ahead now. */
  get roomAhead(): number {
    const beginSoon = this.#isHeldUpByHosts || performance.now() < this.#quickUntil;
    const claimsAhead = this.#options.claimsAhead && this.#isQuick && beginSoon && !this.#job.delayMs;
    return claimsAhead ? Math.max(0, PAGES_AHEAD - this.#ahead.length) : 0;
  }

  /**
   * Until when the next claim can wait for pages to be recorded, which takes a transaction anyhow; in
   * milliseconds of `performance.now()`. It cannot wait (0) if only a few pages are left, or if most of them
   * wait for their hosts.
   */
  get canWaitUntil(): number {
    return this.count > PAGES_PER_WORKER / 4 && !this.#isHeldUpByHosts ? this.#quickUntil : 0;
  }

  /** Number of requests under way by host. */
  get openRequests(): Map<string, number> {
    return new Map(this.#openRequests);
  }

  /** Number of pages ahead by host. */
  get ahead(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { host } of this.#ahead) counts.set(host, (counts.get(host) ?? 0) + 1);
    return counts;
  }

  /** Whether most pages wait for their hosts, and not for a rendering thread. */
  get #isHeldUpByHosts(): boolean {
    const openRequests = [...this.#openRequests.values()].reduce((sum, count) => sum + count, 0);
    return 2 * openRequests >= this.#underWay.size;
  }

  /**
   * Until when pages are known to end in quick succession, in milliseconds of `performance.now()`; 0 before
   * enough have ended.
   */
  get #quickUntil(): number {
    const [earliest = 0] = this.#endedAt;
    return this.#endedAt.length === PAGES_PER_WORKER ? earliest + QUICK_SUCCESSION_MS : 0;
  }

  /** Adds the pages that a job has returned, and begins with those whose hosts have room. */
  add(job: Pick<RecordAndClaimResult, 'claims' | 'allowed' | 'delayMs'>): void {
    this.#job = job;
    this.#ahead.push(...job.claims);
    this.begin();
  }

  /** Begins with those pages whose hosts have room for another request of this page worker. */
  begin(): void {
    while (this.#underWay.size < PAGES_PER_WORKER && !this.#options.signal.aborted) {
      const index = this.#ahead.findIndex(({ host }) => this.#mayRequest(host));
      const [claim] = index < 0 ? [] : this.#ahead.splice(index, 1);
      if (!claim) return;
      this.#openRequests.set(claim.host, (this.#openRequests.get(claim.host) ?? 0) + 1);
      this.#underWay.add(claim);
      this.#options.start(claim);
    }
  }

  #mayRequest(host: string): boolean {
    const allowed = this.#job.allowed.get(host) ?? 0;
    return (this.#openRequests.get(host) ?? 0) < allowed && !this.#restingHosts.has(host);
  }

  /** Notes that the host is done with a page. @param durationMs how long that took */
  endRequest({ host }: Claim, durationMs: number): void {
    this.#isQuick = durationMs < QUICK_REQUEST_MS;
    const left = (this.#openRequests.get(host) ?? 1) - 1;
    if (left) this.#openRequests.set(host, left);
    else this.#openRequests.delete(host);
  }

  /** Notes that a page has ended. */
  end(claim: Claim): void {
    this.#underWay.delete(claim);
    this.#endedAt.push(performance.now());
    if (this.#endedAt.length > PAGES_PER_WORKER) this.#endedAt.shift();
  }

  /** Begins no page of a host that asked us to slow down. */
  rest(host: string): void {
    this.#restingHosts.add(host);
  }

  /**
   * Notes that the rests of hosts are recorded.
   * @returns their pages that were claimed ahead, which are no longer held
   */
  takeResting(hosts: Iterable<string>): Claim[] {
    const taken = this.#take(({ host }) => this.#restingHosts.has(host));
    for (const host of hosts) this.#restingHosts.delete(host);
    return taken;
  }

  /**
   * Takes the pages that other page workers can have sooner, because their hosts have no room for this one.
   */
  takeUnallowed(): Claim[] {
    return this.#take(({ host }) => !this.#job.allowed.get(host));
  }

  /** Takes all pages that were claimed ahead. */
  takeAhead(): Claim[] {
    return this.#take(() => true);
  }

  #take(isTaken: (claim: Claim) => boolean): Claim[] {
    const taken = this.#ahead.filter(isTaken);
    this.#ahead = this.#ahead.filter((claim) => !taken.includes(claim));
    return taken;
  }
}
