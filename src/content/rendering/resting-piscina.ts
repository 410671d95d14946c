import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';

type PiscinaOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;
type RunOptions = Parameters<Piscina['run']>[1];

/**
 * Options of {@link RestingPiscina}: those of Piscina, which decides how many threads there are while any are
 * used.
 */
export interface RestingPiscinaOptions extends PiscinaOptions {
  /** Starts the first thread at once, so that the first task does not wait for it. */
  warm: boolean;
  /** Milliseconds without a task after which all threads end. */
  restAfterMs: number;
  /** Called when a thread ends by itself, or sends a result that no caller waits for any more. */
  onFault: (error: Error) => void;
}

/**
 * A pool of threads that has none after some time without tasks, because each takes 40 to 60 MB. Piscina
 * itself cannot do so: with `minThreads: 0`, tasks wait for ever once the only thread was ended by an abort.
 */
export class RestingPiscina<Task, Result> {
  readonly #options: RestingPiscinaOptions;
  #pool: Piscina<Task, Result> | undefined;
  #rest: NodeJS.Timeout | undefined;
  #running = 0;

  constructor(options: RestingPiscinaOptions) {
    this.#options = options;
    if (options.warm) this.wake();
  }

  /** Starts a thread if there is none, for a task that is about to come. */
  wake(): void {
    this.#open();
    if (this.#running === 0) this.#restLater();
  }

  /** The threads that exist now. */
  get threads(): readonly Worker[] {
    return this.#pool?.threads ?? [];
  }

  /** Runs a task in a thread. @throws what the thread throws, and the errors of `Piscina.run` */
  async run(task: Task, options: RunOptions): Promise<Result> {
    clearTimeout(this.#rest);
    this.#running++;
    try {
      return await this.#open().run(task, options);
    } finally {
      if (--this.#running === 0) this.#restLater();
    }
  }

  /** Ends all threads; running tasks fail. */
  async close(): Promise<void> {
    clearTimeout(this.#rest);
    await this.#pool?.destroy();
  }

  #open(): Piscina<Task, Result> {
    if (this.#pool) return this.#pool;
    const { warm: _, restAfterMs, onFault, ...options } = this.#options;
    this.#pool = new Piscina<Task, Result>({ ...options, minThreads: 1, idleTimeout: restAfterMs });
    // Without a listener, a late result of a task that was just cancelled would end the process.
    this.#pool.on('error', onFault);
    return this.#pool;
  }

  #restLater(): void {
    const { restAfterMs, onFault } = this.#options;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      const pool = this.#pool;
      this.#pool = undefined;
      pool?.destroy().catch(onFault);
    }, restAfterMs).unref();
  }
}
