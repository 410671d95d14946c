import { resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { CodeResult, Language } from '../../schemas/session.ts';
import type { Logger } from '../../system/logger.ts';
import type { Confinement } from '../../system/sandbox/confinement.ts';
import { CallTurns } from '../call-turns.ts';
import { type CanceledDownload, MAX_DOWNLOADS_BYTES } from '../downloads/downloads.ts';
import type { SessionDirectory } from '../session-directory.ts';
import { CodeProcess } from './code-process.ts';
import { DOWNLOADS_LIMIT, isHeapFull, toCodeResult } from './code-result.ts';
import { prepareCompiledCode } from './compiled-code.ts';
import { DirectoryLimit } from './directory-limit.ts';
import { languageProgram } from './languages.ts';

/** Code of a user. */
export interface CodeRequest {
  language: Language;
  code: string;
  /** Milliseconds after which the code is killed. */
  timeoutMs: number;
}

/** How long a program may take to connect to the browser ahead of its first call, in milliseconds. */
const CONNECT_MS = 30_000;
/** Why a file was deleted. */
const DELETED = `The session had more than ${DOWNLOADS_LIMIT} with it, so that it was deleted and running code was ended. Delete files in /downloads, or start another session.`;
/** Deleted files that are remembered. */
const MAX_DELETED = 100;

/** Options of a {@link CodeRunner}. */
export interface CodeRunnerOptions {
  confinement: Confinement;
  /** The directory of installed and prepared programs. */
  cacheDir: string;
  /** The directory of the session. */
  directory: Pick<SessionDirectory, 'protocol' | 'downloads' | 'artifacts'>;
  logger: Pick<Logger, 'warn' | 'debug'>;
}

/** The tab that all clients of a session use. */
export interface SharedTab {
  /** The tab in use; `undefined` before any is. */
  get(): string | undefined;
  /** Is called with the tab that code uses after a call. */
  set(targetId: string): void;
}

/** Options of {@link CodeRunner.run}. */
interface RunOptions {
  tab: SharedTab;
  /** Ends the wait for earlier calls, or kills the code. */
  signal: AbortSignal;
  /** Called if the code was ended because it used too much memory. */
  onOutOfMemory?(): void;
}

/**
 * Executes code in one session: a sandboxed program for each language, started at its first use and used by
 * one call at a time. It is replaced after code that had to be killed.
 */
export class CodeRunner {
  readonly #options: CodeRunnerOptions;
  readonly #downloads: DirectoryLimit;
  readonly #processes = new Map<Language, Promise<CodeProcess>>();
  /** The processes that are ready. */
  readonly #ready = new Map<Language, CodeProcess>();
  readonly #turns = new Map<Language, CallTurns>();
  /** The last deletion of files that exceeded the limit. */
  #deletion: Promise<string[]> = Promise.resolve([]);
  #isDeleting = false;
  readonly #deleted: CanceledDownload[] = [];
  /** Why no code runs any more. */
  #end: string | undefined;

  constructor(options: CodeRunnerOptions) {
    this.#options = { ...options, cacheDir: resolve(options.cacheDir) };
    const { downloads, artifacts } = options.directory;
    this.#downloads = new DirectoryLimit([downloads, artifacts], MAX_DOWNLOADS_BYTES);
  }

  /**
   * Starts the program of a language ahead of its first call. That of JavaScript needs no connection to the
   * browser yet.
   * @throws ServiceError `LANGUAGE_NOT_AVAILABLE`, or `SESSION_FAILED` if the program does not start
   */
  async start(language: Language): Promise<void> {
    await this.#processOf(language);
  }

  /**
   * Starts the program of a language and connects it to the browser, by a call without code.
   * @throws ServiceError as {@link start}
   */
  async connect(language: Language): Promise<void> {
    const tab = { get: () => undefined, set: () => undefined };
    await this.run(
      { language, code: '', timeoutMs: CONNECT_MS },
      { tab, signal: new AbortController().signal },
    );
  }

  /**
   * Executes code after the earlier calls of its language.
   * @throws ServiceError as {@link start}, before the code has begun; `SESSION_DESTROYED` if {@link close}
   * ended the code;
   *   the reason of the signal, which kills the code
   */
  async run(
    { language, code, timeoutMs }: CodeRequest,
    { tab, signal, onOutOfMemory }: RunOptions,
  ): Promise<CodeResult> {
    const leave = await this.#takeTurn(language, timeoutMs, signal);
    try {
      const process = await this.#processOf(language);
      const targetId = tab.get();
      const result = await process.run({ code, targetId, timeoutMs }, signal);
      if (result.ending.reason === 'done' && result.ending.targetId) tab.set(result.ending.targetId);
      const ending = isHeapFull(result) ? { reason: 'memory' as const } : result.ending;
      if (ending.reason === 'memory') onOutOfMemory?.();
      const deleted = ending.reason === 'disk' ? await this.#deletion : [];
      const outcome = toCodeResult({ ...result, ending }, { language, timeoutMs, deleted });
      if (outcome.exitCode !== 0) this.#requireOpen();
      return outcome;
    } finally {
      leave();
    }
  }

  /** The files that were deleted because they exceeded the limit of the downloads, the newest last. */
  get deletedFiles(): readonly CanceledDownload[] {
    return this.#deleted;
  }

  /** Resident memory of all programs, in bytes. */
  get residentBytes(): number {
    return [...this.#ready.values()].reduce((sum, { residentBytes }) => sum + residentBytes, 0);
  }

  /**
   * Kills all programs.
   * @param reason the message of the errors that calls get, both those that run and later ones
   */
  async close(reason: string): Promise<void> {
    this.#end = reason;
    const started = await Promise.allSettled(this.#processes.values());
    await Promise.all(started.map((each) => each.status === 'fulfilled' && each.value.close()));
  }

  async #processOf(language: Language): Promise<CodeProcess> {
    const known = this.#processes.get(language);
    if (known) {
      const process = await known.catch(() => undefined);
      if (process && !process.hasEnded) return process;
    }
    if (this.#processes.get(language) === known) this.#processes.set(language, this.#startProcess(language));
    // It was set here, or by a call that waited for the same process.
    return this.#processes.get(language) as Promise<CodeProcess>;
  }

  async #startProcess(language: Language): Promise<CodeProcess> {
    this.#requireOpen();
    const { confinement, cacheDir, directory, logger } = this.#options;
    void prepareCompiledCode({ confinement, cacheDir, logger });
    const program = languageProgram(language, { confinement, cacheDir, directory });
    // What a program writes now would be deleted with the rest.
    await this.#deletion;
    try {
      const isDiskFull = () => this.#isDiskFull();
      const process = await CodeProcess.start({ program, confinement, isDiskFull, logger });
      this.#ready.set(language, process);
      return process;
    } catch (cause) {
      logger.warn({ language, err: cause }, 'the program that executes code did not start');
      throw new ServiceError(
        'SESSION_FAILED',
        `The program that executes ${language} code did not start, so the code was not executed. Try again.`,
        { cause },
      );
    }
  }

  /** Whether the downloads exceed their limit. What exceeds it is then deleted. */
  async #isDiskFull(): Promise<boolean> {
    if (this.#isDeleting) return true;
    if (!(await this.#downloads.isExceeded())) return false;
    // Another program may have found it meanwhile.
    if (!this.#isDeleting) {
      this.#isDeleting = true;
      this.#deletion = this.#deleteExcess().finally(() => {
        this.#isDeleting = false;
      });
    }
    return true;
  }

  /** Ends all programs, because any of them may write, and deletes what exceeds the limit. @returns its names */
  async #deleteExcess(): Promise<string[]> {
    const { logger } = this.#options;
    try {
      const running = [...this.#ready.values()];
      for (const process of running) process.stop({ reason: 'disk' });
      await Promise.all(running.map((process) => process.close()));
      const names = await this.#downloads.deleteExcess();
      this.#deleted.push(...names.map((name) => ({ name, reason: DELETED })));
      this.#deleted.splice(0, this.#deleted.length - MAX_DELETED);
      return names;
    } catch (error) {
      logger.warn({ err: error }, 'downloads of a session above their limit were not deleted');
      return [];
    }
  }

  /** @throws ServiceError `SESSION_DESTROYED` when the runner has been closed */
  #requireOpen(): void {
    if (this.#end !== undefined) throw new ServiceError('SESSION_DESTROYED', this.#end);
  }

  /**
   * Waits until no other call of the language runs.
   * @param waitMs the milliseconds that it waits at most
   * @returns the function that lets the next one run
   * @throws ServiceError `SESSION_FAILED` if another call still runs; the reason of the signal
   */
  async #takeTurn(language: Language, waitMs: number, signal: AbortSignal): Promise<() => void> {
    const turns = this.#turns.get(language) ?? new CallTurns();
    this.#turns.set(language, turns);
    const timeout = AbortSignal.timeout(waitMs);
    try {
      return await turns.take(AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (signal.aborted || !timeout.aborted) throw error;
      throw new ServiceError(
        'SESSION_FAILED',
        `Another call of ${language} still runs in this session after ${waitMs / 1000} s, so nothing of this one was done. Send it again when that call has ended.`,
      );
    }
  }
}
