import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ServiceError } from '../../../errors.ts';
import type { LogFile } from './log-files.ts';
import { sendSignal, stopProcess } from './orphan-processes.ts';
import { identityOf, type ProcessId } from './process-identity.ts';

const INITIAL_DELAY_MS = 500;
/** The delay stays short, because all work stops while a process is down. */
const MAX_DELAY_MS = 4_000;
/** A process that ran this long counts as stable: its next restart is quick again. */
const STABLE_AFTER_MS = 60_000;

/** One process of the instance: how it is started, known to be ready, and stopped. */
export interface ProcessPlan {
  /** The name used in `run.json` and for log files. */
  name: string;
  /** The name used in messages, such as `Postgres` or `the worker`. */
  title: string;
  log: LogFile;
  /**
   * Starts the process as the leader of its own group, so that Ctrl-C in a terminal reaches the supervisor
   * only.
   */
  launch(): ChildProcess;
  /**
   * Resolves when the process accepts requests.
   * @param onAlive called when the process says that its start takes longer, as for a migration of the
   * database
   */
  ready(child: ChildProcess, signal: AbortSignal, onAlive?: () => void): Promise<void>;
  /** How long a start may take, and for how long one that takes longer may say nothing. */
  readyWithinMs: number;
  /**
   * Number of attempts at the first start, default 1; more where remains of a crash may briefly block a port
   * or a lock.
   */
  attempts?: number;
  stopSignal: NodeJS.Signals;
  /** Signal that stops it immediately, where SIGKILL would leave children behind. */
  killSignal?: NodeJS.Signals;
  graceMs: number;
}

/** Callbacks of a supervised process. They must not throw. */
export interface ProcessEvents {
  /** The current process; `undefined` when it has ended. */
  onProcess(child: ProcessId | undefined): void;
  /** A readable message that the process died or was restarted. */
  onNotice(text: string): void;
}

/** A process that is restarted whenever it dies, until it is stopped. */
export class SupervisedProcess {
  readonly plan: ProcessPlan;
  readonly #events: ProcessEvents;
  readonly #stopped = new AbortController();
  #current: { child: ProcessId; ended: Promise<string> } | undefined;
  #delayMs = INITIAL_DELAY_MS;

  constructor(plan: ProcessPlan, events: ProcessEvents) {
    this.plan = plan;
    this.#events = events;
  }

  /**
   * Starts the process and watches it from then on.
   * @throws ServiceError `SERVICE_UNAVAILABLE` with the end of its log when it does not become ready
   */
  async start(): Promise<void> {
    for (let left = this.plan.attempts ?? 1; ; left--) {
      try {
        await this.#launch();
        break;
      } catch (error) {
        if (left <= 1 || this.#stopped.signal.aborted) throw this.#createStartError(error);
        await sleep(INITIAL_DELAY_MS);
      }
    }
    // Not awaited: it runs until the process is stopped, and handles every failure itself.
    void this.#watch();
  }

  /** Sends the stop signal, and kills the process when it does not exit in time. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    const current = this.#current;
    if (!current) return;
    await stopProcess(current.child, this.plan.stopSignal, this.plan.graceMs);
    await current.ended;
  }

  /** Kills the process without waiting. */
  kill(): void {
    this.#stopped.abort();
    if (!this.#current) return;
    const { killSignal } = this.plan;
    sendSignal(killSignal ? this.#current.child.pid : -this.#current.child.pid, killSignal ?? 'SIGKILL');
  }

  async #launch(): Promise<void> {
    if (this.#stopped.signal.aborted)
      throw new ServiceError('SERVICE_UNAVAILABLE', 'Winnow is being stopped.');
    const { plan } = this;
    const child = plan.launch();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(messageOf(error)));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (child.pid === undefined) throw new Error(await ended);
    this.#current = { child: { pid: child.pid, identity: identityOf(child.pid) ?? '' }, ended };
    this.#events.onProcess(this.#current.child);
    void ended.then(() => {
      this.#current = undefined;
      // Surviving children would hold ports and files that the next process needs.
      sendSignal(-(child.pid ?? 0), 'SIGKILL');
      this.#events.onProcess(undefined);
    });

    const waiting = new AbortController();
    const late = Promise.withResolvers<never>();
    const startTimeout = setTimeout(
      () => late.reject(new Error(`it was not ready within ${plan.readyWithinMs / 1000} s`)),
      plan.readyWithinMs,
    );
    try {
      await Promise.race([
        plan.ready(child, waiting.signal, () => startTimeout.refresh()),
        ended.then((exit) => Promise.reject(new Error(`it ended with ${exit}`))),
        late.promise,
      ]);
    } catch (error) {
      sendSignal(-child.pid, 'SIGKILL');
      await ended;
      throw error;
    } finally {
      waiting.abort();
      clearTimeout(startTimeout);
    }
  }

  async #watch(): Promise<void> {
    const { title } = this.plan;
    while (!this.#stopped.signal.aborted) {
      const startedAt = Date.now();
      const exit = await this.#current?.ended;
      if (this.#stopped.signal.aborted) return;
      if (Date.now() - startedAt > STABLE_AFTER_MS) this.#delayMs = INITIAL_DELAY_MS;
      this.#events.onNotice(`${capitalize(title)} died (${exit ?? 'it was gone'}); starting it again.`);
      await this.#restart();
    }
  }

  async #restart(): Promise<void> {
    for (;;) {
      try {
        await sleep(this.#delayMs, undefined, { signal: this.#stopped.signal });
        this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
        await this.#launch();
        this.#events.onNotice(`${capitalize(this.plan.title)} is up again.`);
        return;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.#events.onNotice(
          `${capitalize(this.plan.title)} did not come up (${messageOf(error)}); trying again in ${this.#delayMs / 1000} s. Log: ${this.plan.log.path}`,
        );
      }
    }
  }

  #createStartError(error: unknown): ServiceError {
    const { title, log } = this.plan;
    const lines = log.lastLines(15);
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      `${capitalize(title)} could not be started: ${messageOf(error)}.${lines && `\n${lines}`}\nIts log: ${log.path}`,
      { cause: error },
    );
  }
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
