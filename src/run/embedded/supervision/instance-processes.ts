import { messageOf, ServiceError } from '../../../errors.ts';
import { type ReservedPort, reservePort } from '../ports.ts';
import type { Progress } from '../terminal-progress.ts';
import type { DataDirectoryLock } from './run-file.ts';
import { type ProcessPlan, SupervisedProcess } from './supervised-process.ts';

/**
 * Processes are stopped in this order, because the API depends on the others, and all of them on Postgres.
 */
const STOP_ORDER = ['api', 'worker', 'temporal', 'postgres'];
const RECORD_FAILURE = 'The record of running processes could not be updated';

/**
 * The supervised processes of an instance, the ports that are reserved for them, and the lock of its data
 * directory.
 */
export class InstanceProcesses {
  readonly #lock: DataDirectoryLock;
  readonly #progress: Pick<Progress, 'note' | 'step'>;
  readonly #processes: SupervisedProcess[] = [];
  readonly #ports: ReservedPort[] = [];
  readonly #reported = new Set<string>();
  /** The processes would outlive a supervisor that ends by a defect of its own. */
  readonly #killBeforeCrash = () => this.kill();

  constructor(lock: DataDirectoryLock, progress: Pick<Progress, 'note' | 'step'>) {
    this.#lock = lock;
    this.#progress = progress;
    process.on('uncaughtExceptionMonitor', this.#killBeforeCrash);
  }

  /**
   * Starts a process and records it in the run file.
   * @param signal stops the process; it applies only until the instance has started
   * @throws ServiceError `SERVICE_UNAVAILABLE` when it does not become ready
   */
  async start(plan: ProcessPlan, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const supervised = new SupervisedProcess(plan, {
      onProcess: (child) =>
        // Without its record, the process is still supervised and stopped; only a start after a kill would
        // not know it.
        void this.#attempt(RECORD_FAILURE, () => this.#lock.setChild(plan.name, child)),
      onNotice: this.#progress.note,
    });
    this.#processes.push(supervised);
    signal.addEventListener('abort', () => void this.#stopProcess(supervised), { once: true });
    await this.#progress.step(`Starting ${plan.title}`, () => supervised.start());
  }

  /**
   * Reserves a port until the instance is stopped.
   * @returns the preferred port, or another one if it is taken
   */
  async reservePort(preferred: number): Promise<number> {
    const reserved = await reservePort(preferred);
    this.#ports.push(reserved);
    return reserved.port;
  }

  /**
   * Stops every process in order, then releases the ports and the lock. A step that fails is reported, and
   * the others are still taken.
   * @throws ServiceError `SERVICE_UNAVAILABLE` at the end if a process may still run
   */
  async stop(): Promise<void> {
    const left: string[] = [];
    for (const name of STOP_ORDER) {
      const supervised = this.#processes.find(({ plan }) => plan.name === name);
      if (supervised && !(await this.#stopProcess(supervised))) left.push(supervised.plan.title);
    }
    for (const port of this.#ports) port.release();
    await this.#attempt(RECORD_FAILURE, () => this.#lock.release());
    process.off('uncaughtExceptionMonitor', this.#killBeforeCrash);
    if (left.length)
      throw new ServiceError('SERVICE_UNAVAILABLE', `These processes may still run: ${left.join(', ')}.`);
  }

  /** Kills every process immediately. */
  kill(): void {
    for (const supervised of this.#processes) supervised.kill();
  }

  #stopProcess(supervised: SupervisedProcess): Promise<boolean> {
    return this.#attempt(`${supervised.plan.title} could not be stopped`, () => supervised.stop());
  }

  /**
   * Takes a step whose failure must not keep others from being taken.
   * @returns whether it succeeded; if not, it is reported, once for all steps that fail alike
   */
  async #attempt(failure: string, step: () => void | Promise<void>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      const text = `${failure}: ${messageOf(error)}`;
      if (!this.#reported.has(text)) this.#progress.note(text);
      this.#reported.add(text);
      return false;
    }
  }
}
