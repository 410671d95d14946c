import { countMemoryKills } from '../memory.ts';
import { Places } from '../places.ts';
import { type Confinement, findConfinement } from './confinement.ts';
import type { Frame } from './frames.ts';
import { logSandboxFailure, SandboxError, type SandboxFault, type SandboxLogger } from './sandbox-error.ts';
import type { SandboxedProgram } from './sandboxed-program.ts';
import { type TaskOptions, TaskProcess } from './task-process.ts';

export interface SandboxOptions {
  /** The program of each process, which calls {@link serveTasks}. */
  program: SandboxedProgram;
  /** Maximum number of tasks at once, except for long ones, and so of processes. */
  processes: number;
  /**
   * Milliseconds after which a task counts as long and the next one begins; see {@link Places}.
   */
  longTaskMs?: number;
  /** Milliseconds without work after which a process ends. */
  idleMs?: number;
  /** Whether the machine has the memory for another task besides those that run; by default it has. */
  hasRoom?(): boolean;
  /** Counts the processes that the kernel has ended for lack of memory; by default the kernel is asked. */
  countKills?(): number;
  /** Number of tasks after which a process is replaced; {@link TASKS_PER_PROCESS} by default. */
  tasksPerProcess?: number;
  logger: SandboxLogger;
}

/**
 * Number of tasks after which a process is replaced. A lower number lets a hostile document see fewer of the
 * others of its team; a higher one shares the cost of a start and of V8's optimisation among more of them. Memory does
 * not grow with it.
 */
const TASKS_PER_PROCESS = 1_000;
/** Faults that may be caused by what earlier tasks left in the process. */
const RETRIED = new Set<SandboxFault>(['died', 'memory-short', 'memory', 'processes']);
/** Processes of one that has no children: two of bubblewrap and itself. */
const WITHOUT_CHILDREN = 3;
/** A process that keeps more memory than this after a task is replaced. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/**
 * Milliseconds between two checks of what tasks left in a process. A check takes as long as a thirtieth of
 * the conversion of a page, so it is not made after each of many short tasks.
 */
const CHECK_MS = 200;

/**
 * Opens a sandbox. If bubblewrap cannot be used, programs run as an unprivileged user only, and a warning is
 * logged.
 * @throws Error if the program does not run
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { confinement, reason } = await findConfinement(options.program);
  if (reason !== undefined) options.logger.warn({ reason }, unconfinedWarning());
  return new Sandbox(options, confinement);
}

/** The warning for operators of a machine without usable bubblewrap. */
export const unconfinedWarning = () =>
  `Documents are parsed without bubblewrap: a document that exploits a parser has the network and ${
    process.getuid?.() === 0
      ? 'the rights of a user without an account'
      : 'all rights of the user that Winnow runs as'
  }, instead of none. Install the package bubblewrap and allow unprivileged user namespaces (in a container security_opt, as in docker-compose.yml).`;

/** How a task runs, and for whom. */
interface SandboxTaskOptions extends TaskOptions {
  /** On whose behalf the task runs; the owners take turns. */
  owner: string;
  /**
   * Whose data the task has. A task that takes control of its process sees the later ones in it, so a process
   * has tasks of one tenant only. The owner by default.
   */
  tenant?: string;
}

/**
 * Runs tasks in confined processes that stay warm, one task at a time in each, and all of one tenant.
 * Processes are started when there is work, and end when there is none.
 */
export class Sandbox {
  /** The strongest confinement that works on this machine, or the one that was chosen. */
  readonly confinement: Confinement;
  readonly #options: Required<SandboxOptions>;
  /** Processes without a task, each with the timer that ends it. The last one was used last. */
  readonly #idle = new Map<TaskProcess, NodeJS.Timeout>();
  readonly #busy = new Set<TaskProcess>();
  readonly #places: Places;
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: SandboxOptions, confinement: Confinement) {
    this.#options = {
      idleMs: 60_000,
      longTaskMs: 10_000,
      tasksPerProcess: TASKS_PER_PROCESS,
      hasRoom: () => true,
      countKills: countMemoryKills,
      ...options,
    };
    const { processes: count, longTaskMs, hasRoom } = this.#options;
    this.#places = new Places({ count, longTaskMs, hasRoom });
    this.confinement = confinement;
  }

  /** How many tasks run and wait. */
  get usage() {
    return this.#places.usage;
  }

  /** Ids of the processes that exist now. With bubblewrap they are those of bubblewrap itself. */
  get pids(): number[] {
    return [...this.#idle.keys(), ...this.#busy].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Runs a task. If its process dies, the task is retried once in a fresh process; if that was for lack of
   * memory, it has no other task and no warm process beside it.
   * @throws SandboxError; the reason of the signal
   */
  async run(task: Frame, { owner, tenant = owner, ...given }: SandboxTaskOptions): Promise<Frame> {
    const options = { countKills: this.#options.countKills, ...given };
    let leave = await this.#places.take(owner, options.signal);
    try {
      try {
        return await this.#runOnce(task, options, this.#takeIdle(tenant) ?? (await this.#start(tenant)));
      } catch (error) {
        if (this.#isClosed || !(error instanceof SandboxError) || !RETRIED.has(error.fault)) throw error;
        logSandboxFailure(
          this.#options.logger,
          error,
          'a sandboxed process ended, and its task is tried once more',
        );
        if (error.fault === 'memory-short') {
          leave();
          leave = () => undefined;
          leave = await this.#places.takeAlone(owner, options.signal);
          for (const process of [...this.#idle.keys()]) this.#end(process);
        }
        return await this.#runOnce(task, options, await this.#start(tenant));
      }
    } finally {
      leave();
    }
  }

  /** Changes the program of the processes that start from now on. */
  useProgram(program: SandboxedProgram): void {
    this.#options.program = program;
  }

  /** Ends all processes. Running tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const process of [...this.#busy, ...this.#idle.keys()]) this.#end(process);
    await Promise.all(this.#ending);
  }

  /** Starts a process, in the place of one that has no task if there are too many. */
  async #start(tenant: string): Promise<TaskProcess> {
    const { program, processes } = this.#options;
    const [unused] = this.#idle.keys();
    if (unused && this.#idle.size + this.#busy.size >= processes) this.#end(unused);
    return TaskProcess.start(program, { confinement: this.confinement, tenant });
  }

  async #runOnce(task: Frame, options: TaskOptions, process: TaskProcess): Promise<Frame> {
    this.#busy.add(process);
    try {
      const result = await process.run(task, options);
      this.#keep(process);
      return result;
    } catch (error) {
      // A task that failed may have left anything behind.
      process.kill();
      this.#end(process);
      throw error;
    } finally {
      this.#busy.delete(process);
    }
  }

  /** Keeps a process for the next task, or ends it if it had many tasks or has leftovers of them. */
  #keep(process: TaskProcess): void {
    const { tasksPerProcess, idleMs } = this.#options;
    const isUsedUp = process.tasks >= tasksPerProcess || this.#hasLeftovers(process);
    if (isUsedUp || this.#isClosed) this.#end(process);
    else {
      const timer = setTimeout(() => this.#end(process), idleMs);
      this.#idle.set(process, timer);
    }
  }

  /**
   * Whether tasks left much memory or children in a process. What a short task left may be found after a
   * later one.
   */
  #hasLeftovers(process: TaskProcess): boolean {
    const now = performance.now();
    if (now - process.checkedAt < CHECK_MS) return false;
    process.checkedAt = now;
    const { residentBytes, processes } = process.measure();
    return residentBytes > MAX_KEPT_BYTES || processes > WITHOUT_CHILDREN;
  }

  /** Takes the process of a tenant that was used last. */
  #takeIdle(tenant: string): TaskProcess | undefined {
    for (const process of [...this.#idle.keys()].reverse()) {
      if (process.tenant !== tenant) continue;
      clearTimeout(this.#idle.get(process));
      this.#idle.delete(process);
      if (!process.hasEnded) return process;
    }
    return undefined;
  }

  #end(process: TaskProcess): void {
    clearTimeout(this.#idle.get(process));
    this.#idle.delete(process);
    if (this.#busy.has(process)) process.kill();
    const ended = process.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
