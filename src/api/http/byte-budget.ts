import type { Writable } from 'node:stream';
import { ServiceError } from '../../errors.ts';

/** A request that needs a part of the budget. */
interface BudgetRequest {
  /** The team that sends them. */
  teamId: string;
  bytes: number;
  /** The response to the request, which frees the bytes when it closes. */
  response: Writable;
}

interface Waiting extends BudgetRequest {
  start(): void;
}

/** Limits of a {@link ByteBudget}. */
interface BudgetLimits {
  /** Bytes of all files together, at least as large as any single file. */
  bytes: number;
  /** Bytes of the files of one team, at least as large as any single file. */
  bytesOfTeam: number;
  /** How long a request waits for its turn, in milliseconds. */
  maxWaitMs?: number;
  /** What the bytes are of, in messages. */
  what: 'files' | 'JSON';
}

/** The time after which clients are asked to repeat a request that waited for too long. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Limits how many bytes of received files, or of large JSON bodies, are in memory. Requests beyond the limit wait for their turn. A
 * team that uses its share waits, and the requests of others overtake.
 */
export class ByteBudget {
  readonly #limits: Required<BudgetLimits>;
  #free: number;
  readonly #ofTeams = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  constructor(limits: BudgetLimits) {
    this.#limits = { maxWaitMs: 30_000, ...limits };
    this.#free = limits.bytes;
  }

  /**
   * Waits until the bytes are free and takes them. They are freed when the response closes, if not before.
   * @returns the function that frees them, which may be called several times
   * @throws ServiceError `BAD_REQUEST` if the response closes before, because the client has disconnected;
   * after a wait
   *   that took too long `RATE_LIMITED` if the team's own files are the reason, else `SERVICE_UNAVAILABLE`
   */
  take(request: BudgetRequest): Promise<() => void> {
    const { response } = request;
    return new Promise((resolve, reject) => {
      const disconnected = () => reject(new ServiceError('BAD_REQUEST', 'The client has disconnected.'));
      // The event `close` of a request that was aborted early has already happened.
      if (response.destroyed || response.closed) return disconnected();
      const leaveQueue = () => {
        clearTimeout(timer);
        response.off('close', abandon);
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      };
      const entry: Waiting = {
        ...request,
        start: () => {
          leaveQueue();
          resolve(this.#occupy(request));
        },
      };
      const abandon = () => {
        leaveQueue();
        this.#startNext();
        disconnected();
      };
      const timer = setTimeout(() => {
        reject(this.#waitError(request));
        leaveQueue();
        this.#startNext();
      }, this.#limits.maxWaitMs);
      response.once('close', abandon);
      this.#waiting.push(entry);
      this.#startNext();
    });
  }

  /** Takes bytes that are free. @returns the function that frees them */
  #occupy({ teamId, bytes, response }: BudgetRequest): () => void {
    this.#add(teamId, bytes);
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      this.#add(teamId, -bytes);
      this.#startNext();
    };
    response.once('close', release);
    return release;
  }

  #add(teamId: string, bytes: number): void {
    this.#free -= bytes;
    const ofTeam = (this.#ofTeams.get(teamId) ?? 0) + bytes;
    if (ofTeam > 0) this.#ofTeams.set(teamId, ofTeam);
    else this.#ofTeams.delete(teamId);
  }

  /** Whether the share of the team has place for the bytes. */
  #fitsShare({ teamId, bytes }: BudgetRequest): boolean {
    return (this.#ofTeams.get(teamId) ?? 0) + bytes <= this.#limits.bytesOfTeam;
  }

  #startNext(): void {
    for (;;) {
      // A large file that fits the share of its team is not overtaken, so that its turn comes.
      const next = this.#firstOfTeams().find((entry) => this.#fitsShare(entry));
      if (!next || next.bytes > this.#free) return;
      next.start();
    }
  }

  /** The oldest waiting request of each team, in order. */
  #firstOfTeams(): Waiting[] {
    const first = new Map<string, Waiting>();
    for (const entry of this.#waiting) if (!first.has(entry.teamId)) first.set(entry.teamId, entry);
    return [...first.values()];
  }

  #waitError(request: BudgetRequest): ServiceError {
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (!this.#fitsShare(request))
      return new ServiceError(
        'RATE_LIMITED',
        `Rate limit exceeded. Your team is already sending ${megabytes(this.#limits.bytesOfTeam)} of ${this.#limits.what} at once. Send this request again when one of them has ended.`,
        options,
      );
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      `Other teams are sending ${megabytes(this.#limits.bytes)} of ${this.#limits.what} at once. Send the request again in a few seconds.`,
      options,
    );
  }
}

const megabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`;
