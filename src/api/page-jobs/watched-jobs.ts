import { setTimeout as sleep } from 'node:timers/promises';
import type { PageJobState } from '../../storage/db/jobs/read-page-job-state.ts';
import { CallSlots } from '../../system/call-slots.ts';

/** How often the state of a watched job is read, in milliseconds. */
const POLL_INTERVAL_MS = 500;
/** Reads for all watchers of this process that run at once, so that most of the database is left to requests. */
const READS_AT_ONCE = 4;

/** Nobody waits for long: each read is a short statement. */
const NEVER = new AbortController().signal;

type State = PageJobState | undefined;

/** Reads jobs for those who watch them: the state of each job once for all of its watchers, and teams in turns. */
export class WatchedJobs {
  readonly #read: (id: string) => Promise<State>;
  readonly #intervalMs: number;
  readonly #slots = new CallSlots(READS_AT_ONCE);
  /** The next state of each job that somebody waits for. */
  readonly #next = new Map<string, Promise<State>>();

  /** @param read reads the state of a job by its id; `undefined` if there is none */
  constructor(read: (id: string) => Promise<State>, intervalMs = POLL_INTERVAL_MS) {
    this.#read = read;
    this.#intervalMs = intervalMs;
  }

  /** Waits for the next state of a job, which all who wait for it get. @throws as `read` */
  next(id: string, teamId: string): Promise<State> {
    const known = this.#next.get(id);
    if (known) return known;
    const next = sleep(this.#intervalMs)
      .then(() => this.inTurn(teamId, () => this.#read(id)))
      .finally(() => this.#next.delete(id));
    this.#next.set(id, next);
    return next;
  }

  /** Reads something else for a watcher when it is the turn of its team. */
  inTurn<Result>(teamId: string, read: () => Promise<Result>): Promise<Result> {
    return this.#slots.run(read, { owner: teamId, signal: NEVER });
  }

  /** Passes on what an iterator reads, each time when it is the turn of the team. */
  async *eachInTurn<Item>(teamId: string, items: AsyncGenerator<Item>): AsyncGenerator<Item> {
    try {
      for (;;) {
        const { done, value } = await this.inTurn(teamId, () => items.next());
        if (done) return;
        yield value;
      }
    } finally {
      await items.return(undefined);
    }
  }
}
