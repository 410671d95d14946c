import type { MessagePort } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { Places } from '../../system/places.ts';
import { createTaskThread, findThread, type TaskThread, watchProcessorTime } from './processor-time.ts';
import { RestingPiscina, type RestingPiscinaOptions } from './resting-piscina.ts';

/** A task as a thread gets it: it calls `beginTask` with the sign. */
export interface ThreadInput<Task> {
  task: Task;
  sign: TaskThread;
}

/** Options of {@link SharedThreads}, in addition to those of its pool. */
export interface SharedThreadsOptions extends Omit<RestingPiscinaOptions, 'maxThreads'> {
  /** Number of tasks that run at once, except for long ones. */
  threads: number;
  /** Processor time in milliseconds after which a task is ended. */
  maxTaskMs: number;
}

/** How a task of a team runs. */
export interface SharedTask {
  /** On whose behalf the task runs. */
  owner: string;
  /** Ends the thread that works on the task; its reason is thrown. */
  signal: AbortSignal;
  /** A port that is handed over to the thread. */
  port?: MessagePort | undefined;
}

/** Milliseconds after which a task counts as long, so that the next one begins besides it. */
const LONG_TASK_MS = 5_000;

/**
 * Threads that teams share: the teams take turns ({@link Places}), and no task takes more than a bounded
 * processor time, so that the tasks of one team cannot hold up those of the others.
 */
export class SharedThreads<Task, Result> {
  readonly #pool: RestingPiscina<ThreadInput<Task>, Result>;
  readonly #places: Places;
  readonly #maxTaskMs: number;

  constructor({ threads, maxTaskMs, ...options }: SharedThreadsOptions) {
    this.#pool = new RestingPiscina({ ...options, maxThreads: 2 * threads });
    this.#places = new Places({ count: threads, longTaskMs: LONG_TASK_MS });
    this.#maxTaskMs = maxTaskMs;
  }

  /** How many tasks run and wait. */
  get usage() {
    return this.#places.usage;
  }

  /** Starts a thread if there is none, for a task that is about to come. */
  wake(): void {
    this.#pool.wake();
  }

  /**
   * Runs a task when it is the turn of its owner.
   * @throws ServiceError `SCRAPE_CONVERSION_TOO_LONG`; the reason of the signal; what the thread throws
   */
  async run(task: Task, { owner, signal, port }: SharedTask): Promise<Result> {
    const leave = await this.#places.take(owner, signal);
    const sign = createTaskThread();
    const limit = new AbortController();
    const stopWatch = watchProcessorTime({
      findThread: () => findThread(this.#pool.threads, sign),
      maxMs: this.#maxTaskMs,
      onExceeded: () => limit.abort(tooLong(this.#maxTaskMs)),
    });
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      return await this.#pool.run({ task, sign }, { signal: either, ...(port && { transferList: [port] }) });
    } catch (error) {
      either.throwIfAborted();
      throw error;
    } finally {
      stopWatch();
      leave();
    }
  }

  /** Ends all threads; running tasks fail. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

const tooLong = (maxMs: number) =>
  new ServiceError(
    'SCRAPE_CONVERSION_TOO_LONG',
    `Deriving the formats took more than ${maxMs / 1_000} s of processor time, which is the most for one page. Send fewer or simpler selectors and a smaller JSON Schema with simpler patterns, or scrape a smaller part of the page. The operator of the service can raise WINNOW_MAX_CONVERSION_SECONDS.`,
  );
