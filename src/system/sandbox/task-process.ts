import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fieldsOf } from '../../json/json-object.ts';
import { ignoreBrokenPipe } from '../child-processes/broken-pipe.ts';
import type { ProcessGroup } from '../child-processes/process-group.ts';
import { every } from '../every.ts';
import { countMemoryKills } from '../memory.ts';
import { type Confinement, startConfined } from './confinement.ts';
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts';
import type { Limits } from './limits.ts';
import { measureTree, type TreeUsage } from './process-tree.ts';
import { SandboxError } from './sandbox-error.ts';
import type { SandboxedProgram } from './sandboxed-program.ts';
import { RESULT_FD } from './task-loop.ts';

/** How often the memory and the processes of a busy process are measured. */
const WATCH_MS = 200;
/**
 * Maximum number of bytes that a task may print. More end the process, because reading them takes the
 * worker's time.
 */
const MAX_PRINTED_BYTES = 16 * 1024 * 1024;
/** The exit code of a program that starts another one which was killed, as bubblewrap's. */
const KILLED_CODE = 128 + 9;
/** How long a process may take to exit after its pipe was closed. */
const EXIT_MS = 2_000;

/** How a task runs. */
export interface TaskOptions {
  /** Kills the process that works on the task; its reason is thrown. */
  signal: AbortSignal;
  /** The most bytes that the result may have. */
  maxOutputBytes: number;
  /** Counts the processes that the kernel has ended for lack of memory; by default the kernel is asked. */
  countKills?: (() => number) | undefined;
  /**
   * Called when the process has been given the task, and with each progress that the program reports, if it
   * does.
   */
  onProgress?: (progress: unknown) => void;
}

/** A sandboxed process that runs {@link serveTasks}, and works on one task at a time. */
export class TaskProcess {
  /** Whose tasks it is given, all of them. */
  readonly tenant: string;
  /** Number of tasks that it was given. */
  tasks = 0;
  /** When the pool last looked what tasks had left in the process, on the clock of `performance.now()`. */
  checkedAt = Number.NEGATIVE_INFINITY;
  readonly #group: ProcessGroup;
  readonly #limits: Limits;
  readonly #closed: Promise<unknown>;
  /** Resolves when the program reads tasks. */
  readonly #ready = Promise.withResolvers<void>();
  #hasEnded = false;

  private constructor(group: ProcessGroup, limits: Limits, tenant: string) {
    this.tenant = tenant;
    this.#group = group;
    this.#limits = limits;
    // An error means that it could not be started, which counts as its end.
    this.#closed = once(group.child, 'close').catch(() => undefined);
    void this.#closed.then(() => {
      this.#hasEnded = true;
    });
    group.child.stdin?.on('error', ignoreBrokenPipe);
    group.child.stdout?.resume();
    this.#results.on('error', ignoreBrokenPipe).resume();
  }

  /** Starts the process of a program. @throws Error if it cannot be confined as it must be */
  static async start(
    program: SandboxedProgram,
    { confinement, tenant }: { confinement: Confinement; tenant: string },
  ): Promise<TaskProcess> {
    return new TaskProcess(await startConfined(program, confinement), program.limits, tenant);
  }

  get pid(): number | undefined {
    return this.#group.child.pid;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  // Both are pipes, as `startConfined` opens them.
  get #tasks(): Writable {
    return this.#group.child.stdin as Writable;
  }
  get #results(): Readable {
    return this.#group.child.stdio[RESULT_FD] as Readable;
  }

  /** The resources that the process uses now. */
  measure(): TreeUsage {
    return this.pid === undefined
      ? { pids: [], processes: 0, residentBytes: 0, writtenBytes: 0, processorMs: 0 }
      : measureTree(this.pid);
  }

  /**
   * Works on a task. After any error the process is killed.
   * @throws SandboxError; the reason of the signal
   */
  async run(task: Frame, options: TaskOptions): Promise<Frame> {
    const { signal, onProgress } = options;
    signal.throwIfAborted();
    this.tasks++;
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    const stopListening = this.#listen(options, { resolve, reject });
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    const watch = every(WATCH_MS, () => this.#checkUsage(reject), reject);
    try {
      // Until the program runs, bubblewrap may not be bound to the life of our process yet. A program that
      // waits for a task ends when our process does, because its pipe is closed; one that has a task may
      // never look at the pipe.
      await Promise.race([this.#ready.promise, promise]);
      // Everything is written at once, because each write wakes the process up.
      this.#tasks.cork();
      for (const chunk of encodeFrame(task)) this.#tasks.write(chunk);
      this.#tasks.uncork();
      onProgress?.(undefined);
      return await promise;
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      stopListening();
    }
  }

  /** Ends a process without a task. */
  async end(): Promise<void> {
    this.#tasks.end();
    const timeout = setTimeout(() => this.kill(), EXIT_MS);
    await this.#closed;
    clearTimeout(timeout);
  }

  /** Kills the process at once. A task that it has fails. */
  kill(): void {
    this.#group.kill();
  }

  /** Listens to the process for the time of one task. @returns a function that ends this */
  #listen(
    { maxOutputBytes, onProgress, countKills = countMemoryKills }: TaskOptions,
    { resolve, reject }: { resolve: (frame: Frame) => void; reject: (error: unknown) => void },
  ): () => void {
    const { child, stderrTail } = this.#group;
    const reader = new FrameReader(maxOutputBytes);
    let printedBytes = 0;
    const killsBefore = countKills();
    const onResult = (chunk: Buffer) => {
      try {
        for (const frame of reader.push(chunk)) {
          const { progress, ready } = fieldsOf(frame.header);
          if (ready) this.#ready.resolve();
          else if (progress !== undefined) onProgress?.(progress);
          else if (reader.isWithinFrame) throw new FrameError('a result is followed by further bytes');
          else resolve(unwrap(frame));
        }
      } catch (error) {
        reject(error instanceof FrameError ? new SandboxError('output', error.message) : error);
      }
    };
    const onPrinted = (chunk: Buffer) => {
      printedBytes += chunk.length;
      if (printedBytes > MAX_PRINTED_BYTES) reject(new SandboxError('output', 'it printed too much'));
    };
    const onClose = (code: number | null, signal: string | null) => {
      const isKilled = signal === 'SIGKILL' || code === KILLED_CODE;
      const fault = isKilled && countKills() > killsBefore ? 'memory-short' : 'died';
      reject(new SandboxError(fault, `it ended with ${signal ?? `exit code ${code}`}`, stderrTail()));
    };
    const onError = (error: Error) => reject(new SandboxError('died', error.message));
    if (this.#hasEnded) onClose(child.exitCode, child.signalCode);
    this.#results.on('data', onResult);
    child.stdout?.on('data', onPrinted);
    child.stderr?.on('data', onPrinted);
    child.on('close', onClose).on('error', onError);
    return () => {
      this.#results.off('data', onResult);
      child.stdout?.off('data', onPrinted);
      child.stderr?.off('data', onPrinted);
      child.off('close', onClose).off('error', onError);
    };
  }

  #checkUsage(reject: (error: unknown) => void): void {
    const { processes, residentBytes } = this.measure();
    const { memoryMb, processes: maxProcesses } = this.#limits;
    if (residentBytes > memoryMb * 1024 * 1024)
      reject(new SandboxError('memory', `it used more than ${memoryMb} MiB`));
    if (processes > maxProcesses)
      reject(new SandboxError('processes', `it started more than ${maxProcesses} processes`));
  }
}

/** The result of a task, which the task loop wraps. */
function unwrap({ header, parts }: Frame): Frame {
  const { value, fault } = fieldsOf(header);
  if (fault !== undefined) throw new SandboxError('threw', 'the program threw an error', String(fault));
  return { header: value, parts };
}
