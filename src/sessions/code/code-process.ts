import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '../../json/json-object.ts';
import { ignoreBrokenPipe } from '../../system/child-processes/broken-pipe.ts';
import type { ProcessGroup } from '../../system/child-processes/process-group.ts';
import { every } from '../../system/every.ts';
import type { Logger } from '../../system/logger.ts';
import { type Confinement, startConfined } from '../../system/sandbox/confinement.ts';
import { measureTree } from '../../system/sandbox/process-tree.ts';
import type { SandboxedProgram } from '../../system/sandbox/sandboxed-program.ts';
import { CapturedOutput, type PrintedText } from './captured-output.ts';
import { deletedFileBytes } from './deleted-files.ts';
import { readJsonLines } from './json-lines.ts';

/** File descriptor of the channel for calls and their outcomes. */
const CHANNEL_FD = 3;
/** How long a program may take until it is ready: to load Playwright and to connect to the browser. */
const START_MS = 30_000;
/** How often the resources are measured, while code runs and between calls. */
const BUSY_WATCH_MS = 100;
const IDLE_WATCH_MS = 1_000;
/** How long a program may take to exit after its channel was closed. */
const EXIT_MS = 1_000;
/**
 * How long the end mark of an output may take after the outcome. It is missing if the code closed the output.
 */
const MARK_MS = 1_000;
/**
 * A program with more processes than this after a call is replaced, because the next call could start too
 * few.
 */
const MAX_LEFT_PROCESSES = 24;

/** A call of a program. */
export interface ProcessCall {
  code: string;
  /** The tab that the code uses. */
  targetId: string | undefined;
  timeoutMs: number;
}

/** How a call ended: with an outcome of its program, by a limit, or because the program ended. */
export type Ending =
  | {
      reason: 'done';
      exitCode: number;
      result: string;
      isTruncated: boolean;
      error: string | undefined;
      targetId: string | undefined;
    }
  | { reason: 'timeout' | 'memory' | 'disk' | 'output' }
  | { reason: 'exit'; exitCode: number };

/** The output of a call, and how it ended. */
export interface ProcessResult {
  stdout: PrintedText;
  stderr: PrintedText;
  ending: Ending;
}

/** Options of {@link CodeProcess.start}. */
export interface CodeProcessOptions {
  program: SandboxedProgram;
  confinement: Confinement;
  /** Whether the files that the program may write exceed their limit, so that it has to end. */
  isDiskFull(): Promise<boolean>;
  logger: Pick<Logger, 'warn'>;
}

/** A sandboxed program that executes the code of users, one call after the other. */
export class CodeProcess {
  readonly #group: ProcessGroup;
  readonly #options: CodeProcessOptions;
  /** Resolves to the exit code when the program and its pipes have ended. */
  readonly #closed: Promise<number>;
  #hasEnded = false;
  #calls = 0;
  #watch: NodeJS.Timeout | undefined;
  /** Gets every message of the program. */
  #onMessage: (message: Readonly<Record<string, unknown>>) => void = () => undefined;
  /** Ends the current call, if there is one. */
  #interrupt: (ending: Ending) => void = () => undefined;

  private constructor(group: ProcessGroup, options: CodeProcessOptions) {
    this.#group = group;
    this.#options = options;
    const { child } = group;
    // An error means that it could not be started, which counts as its end.
    this.#closed = once(child, 'close').then(
      ([code, signal]) => (typeof code === 'number' ? code : signal ? 137 : 1),
      () => 1,
    );
    void this.#closed.then(() => {
      this.#hasEnded = true;
      clearInterval(this.#watch);
    });
    // Pipes that nobody reads would never close.
    child.once('exit', () => {
      for (const output of this.#outputs) output.resume();
    });
    child.stdin?.on('error', ignoreBrokenPipe).end();
    // A program that is ending closes its channel first. Code may also close it, and then no outcome can
    // arrive.
    this.#channel.on('error', ignoreBrokenPipe).on('end', () => {
      setTimeout(() => this.kill(), EXIT_MS).unref();
    });
    readJsonLines(this.#channel, {
      onLine: (line) => this.#onMessage(fieldsOf(line)),
      onFlood: () => this.#interrupt({ reason: 'output' }),
    });
  }

  /**
   * Starts a program. It is ready when this resolves.
   * @throws Error with the last output of a program that did not become ready
   */
  static async start(options: CodeProcessOptions): Promise<CodeProcess> {
    const process = new CodeProcess(await startConfined(options.program, options.confinement), options);
    await process.#becomeReady();
    return process;
  }

  /** Resident memory of the program and its children, in bytes. */
  get residentBytes(): number {
    return this.#hasEnded ? 0 : this.#measure().residentBytes;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Executes code. If it does not end by itself, the program is killed with all its children.
   * @throws the reason of the signal
   */
  async run({ timeoutMs, ...call }: ProcessCall, signal: AbortSignal): Promise<ProcessResult> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Ending>();
    const id = ++this.#calls;
    const endMark = `\0${randomBytes(12).toString('hex')}\n`;
    const onFlood = () => resolve({ reason: 'output' });
    const outputs = this.#outputs.map((output) => new CapturedOutput(output, { endMark, onFlood }));
    const timer = setTimeout(() => resolve({ reason: 'timeout' }), timeoutMs);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#interrupt = resolve;
    this.#onMessage = (message) => message.id === id && resolve(readOutcome(message));
    void this.#closed.then((exitCode) => resolve({ reason: 'exit', exitCode }));
    this.#watchEvery(BUSY_WATCH_MS);
    this.#channel.write(`${JSON.stringify({ ...call, id, endMark })}\n`);
    try {
      const ending = await this.#finish(await promise, outputs);
      // There are two outputs.
      const [stdout, stderr] = outputs.map((output) => output.end()) as [PrintedText, PrintedText];
      return { stdout, stderr, ending };
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#interrupt = () => undefined;
      this.#onMessage = () => undefined;
      if (!this.#hasEnded) this.#watchEvery(IDLE_WATCH_MS);
    }
  }

  /** Kills the program at once, without waiting for its end. */
  kill(): void {
    this.#group.kill();
  }

  /** Kills the program, and waits for its end. */
  async close(): Promise<void> {
    this.kill();
    await this.#closed;
  }

  // All are pipes, as `startConfined` opens them.
  get #outputs(): Readable[] {
    return [this.#group.child.stdout as Readable, this.#group.child.stderr as Readable];
  }
  get #channel(): Duplex {
    return this.#group.child.stdio[CHANNEL_FD] as Duplex;
  }

  async #becomeReady(): Promise<void> {
    const ready = new Promise<boolean>((resolve) => {
      this.#onMessage = (message) => message.ready === true && resolve(true);
    });
    const isReady = await Promise.race([
      ready,
      this.#closed.then(() => false),
      sleep(START_MS, false, { ref: false }),
    ]);
    if (!isReady) {
      await this.close();
      throw new Error(this.#group.stderrTail() || 'it said nothing');
    }
    for (const output of this.#outputs) output.pause();
    this.#watchEvery(IDLE_WATCH_MS);
  }

  /** Waits for the rest of the output of a call, or for the end of the program that has to be killed. */
  async #finish(ending: Ending, outputs: CapturedOutput[]): Promise<Ending> {
    if (ending.reason !== 'done') {
      await this.close();
      return ending;
    }
    const marks = Promise.all(outputs.map((output) => output.ended));
    await Promise.race([marks, sleep(MARK_MS, undefined, { ref: false })]);
    const { residentBytes, processes } = this.#measure();
    // A call may be shorter than the interval in which its resources are measured.
    const isOverMemory = residentBytes > this.#maxResidentBytes;
    const isOverDisk = !isOverMemory && (await this.#isDiskFull());
    if (isOverMemory || isOverDisk || processes > MAX_LEFT_PROCESSES) await this.close();
    if (isOverMemory) return { reason: 'memory' };
    return isOverDisk ? { reason: 'disk' } : ending;
  }

  /** Measures the resources regularly, and kills the program if they exceed their limits. */
  #watchEvery(intervalMs: number): void {
    clearInterval(this.#watch);
    this.#watch = every(
      intervalMs,
      () => this.#checkUsage(),
      (error) => this.#options.logger.warn({ err: error }, 'a program of a session was not measured'),
    ).unref();
  }

  async #checkUsage(): Promise<void> {
    if (this.#measure().residentBytes > this.#maxResidentBytes) this.stop({ reason: 'memory' });
    else if (await this.#isDiskFull()) this.stop({ reason: 'disk' });
  }

  /** Deleted files may take as much as the largest one that the program may write. */
  async #isDiskFull(): Promise<boolean> {
    if (await this.#options.isDiskFull()) return true;
    return (await deletedFileBytes(this.#measure().pids)) > this.#options.program.limits.fileMb * 1024 * 1024;
  }

  /** Kills the program. A call that runs ends as stated. */
  stop(ending: Ending): void {
    this.#interrupt(ending);
    this.kill();
  }

  #measure() {
    const { pid } = this.#group.child;
    return pid === undefined ? { pids: [], processes: 0, residentBytes: 0 } : measureTree(pid);
  }

  get #maxResidentBytes(): number {
    return this.#options.program.limits.memoryMb * 1024 * 1024;
  }
}

/** Checks the outcome of a call, because the code may have written the message itself. */
function readOutcome({ exitCode, result, error, truncated, targetId }: Record<string, unknown>): Ending {
  return {
    reason: 'done',
    exitCode: Number.isInteger(exitCode) ? Number(exitCode) : 1,
    result: typeof result === 'string' ? result : '',
    isTruncated: truncated === true,
    error: typeof error === 'string' ? error : undefined,
    targetId: typeof targetId === 'string' ? targetId : undefined,
  };
}
