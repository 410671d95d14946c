import { performance } from 'node:perf_hooks';
import type { LanguageModel } from '../../content/language-model.ts';
import { ServiceError } from '../../errors.ts';
import { type CdpConnection, Disconnected } from '../../fetch/browser/chromium/cdp.ts';
import { type Access, findAccess } from '../../jobs/agent/access.ts';
import { type AgentTask, interactTask } from '../../jobs/agent/task.ts';
import type { PromptResult } from '../../schemas/session.ts';
import type { Step } from '../../storage/agent-steps/step.ts';
import type { Logger } from '../../system/logger.ts';
import { untilAborted } from '../../system/until-aborted.ts';
import { CallTurns } from '../call-turns.ts';
import { type PromptOutcome, toPromptResult } from './prompt-result.ts';
import { PromptRun } from './prompt-run.ts';
import { PromptTabs } from './prompt-tabs.ts';

/** A prompt of a user. */
export interface PromptRequest {
  prompt: string;
  /** The time limit in milliseconds, for all steps and the wait for earlier prompts. */
  timeoutMs: number;
}

/** The dependencies of prompts besides the browser. */
export interface PromptDeps {
  /** Returns the model for a prompt. @param limits.endsAt as a value of `performance.now()` */
  modelFor(limits: { signal: AbortSignal; endsAt: number }): LanguageModel;
  /** Called when a model has replied to a prompt for the first time, from which on the session costs more. */
  onFirstReply(): Promise<void>;
}

/** Options of {@link SessionPrompts}. */
export interface SessionPromptsOptions {
  connection: CdpConnection;
  /** Returns the id of the tab in use. */
  currentTarget(): Promise<string>;
  /** Shows viewers the current step of a prompt; `undefined` when it has ended. */
  showStep(text: string | undefined): void;
  /** Called for each call of a tool. */
  onStep(tool: Step['tool']): void;
  logger: Pick<Logger, 'warn'>;
}

/** The bounds of one prompt. */
interface PromptLimits {
  timeoutMs: number;
  /** When it has to end, as a value of `performance.now()`. */
  endsAt: number;
  /** Fires when its time is over, and with {@link PromptLimits.ended}. */
  signal: AbortSignal;
  /** Fires when nobody waits for its result any more, or the session ends. */
  ended: AbortSignal;
}

/** When this share of the time is left, the model has to answer. */
const ANSWER_SHARE = 0.2;
/** How long the page may take to be read for the result, in milliseconds. */
const RESULT_MS = 3_000;

/** The prompts of one session, one at a time. Nothing of them is stored. */
export class SessionPrompts {
  readonly #options: SessionPromptsOptions;
  readonly #turns = new CallTurns();
  /** Fires when the session ends. */
  readonly #end = new AbortController();

  constructor(options: SessionPromptsOptions) {
    this.#options = options;
  }

  /**
   * Lets a language model do a task in the tab in use.
   * @param signal ends the prompt
   * @throws ServiceError `MODEL_…` if the model fails before it has done anything; `SESSION_DESTROYED` if the
   * session ends,
   *   `SESSION_FAILED` if its tab does not respond; the reason of the signal
   */
  async run(request: PromptRequest, deps: PromptDeps, signal: AbortSignal): Promise<PromptResult> {
    const { timeoutMs } = request;
    const ended = AbortSignal.any([signal, this.#end.signal]);
    const limits: PromptLimits = {
      timeoutMs,
      endsAt: performance.now() + timeoutMs,
      ended,
      signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
    };
    let leave: (() => void) | undefined;
    try {
      leave = await this.#turns.take(limits.signal);
      return await this.#runAlone(request, deps, limits);
    } catch (error) {
      // A browser that has crashed ends the session, which is known a moment later.
      if (error instanceof Disconnected) await new Promise((resolve) => setImmediate(resolve));
      ended.throwIfAborted();
      if (limits.signal.aborted) return toPromptResult({ lines: [], timeoutMs, outcome: 'time over' });
      if (error instanceof Disconnected) throw tabLostError(error);
      throw error;
    } finally {
      leave?.();
    }
  }

  /** Ends all prompts. @param reason the error that they get */
  close(reason: ServiceError): void {
    this.#end.abort(reason);
  }

  async #runAlone(request: PromptRequest, deps: PromptDeps, limits: PromptLimits): Promise<PromptResult> {
    const { showStep } = this.#options;
    const { timeoutMs, signal, ended } = limits;
    const { task, access } = await untilAborted(() => this.#taskOf(request), signal);
    await using tabs = new PromptTabs({ ...this.#options, hosts: access.hosts });
    await untilAborted(() => tabs.guard.start(), signal);
    const run = new PromptRun({
      task,
      access,
      tabs,
      signal,
      onFirstReply: deps.onFirstReply,
      model: deps.modelFor(limits),
      isTimeShort: () => limits.endsAt - performance.now() < ANSWER_SHARE * timeoutMs,
      onStep: (tool, line) => {
        this.#options.onStep(tool);
        showStep(line);
      },
    });
    try {
      const outcome = await runUntilEnd(run, limits);
      const page = await readPage(run, ended);
      return toPromptResult({ lines: run.lines, page, timeoutMs, outcome });
    } finally {
      showStep(undefined);
    }
  }

  /**
   * Creates the task of a prompt: it may use the host of the page that the session shows, and those that it
   * names.
   */
  async #taskOf({ prompt }: PromptRequest): Promise<{ task: AgentTask; access: Access }> {
    const { connection, currentTarget } = this.#options;
    const targetId = await currentTarget();
    const { targetInfo } = await connection.browser.send('Target.getTargetInfo', { targetId });
    const task = interactTask({ prompt, url: targetInfo.url });
    return { task, access: findAccess(task) };
  }
}

async function runUntilEnd(run: PromptRun, { signal, ended }: PromptLimits): Promise<PromptOutcome> {
  try {
    return await untilAborted(() => run.run(), signal);
  } catch (error) {
    ended.throwIfAborted();
    if (signal.aborted) return 'time over';
    // Before the first reply nothing was done, so the request as a whole has failed.
    if (run.hasBegun && error instanceof ServiceError) return error;
    throw error;
  }
}

/** Reads the page at the end of a prompt. @throws the reason of the signal */
async function readPage(run: PromptRun, ended: AbortSignal): Promise<string> {
  const timeout = AbortSignal.timeout(RESULT_MS);
  const reading = untilAborted(() => run.readPage(), AbortSignal.any([ended, timeout]));
  // A page that does not respond, or may not be read, is not part of the result. The steps say so.
  const page = await reading.catch(() => '');
  ended.throwIfAborted();
  return page;
}

const tabLostError = (cause: unknown) =>
  new ServiceError('SESSION_FAILED', 'The tab of the session was closed under the prompt. Try again.', {
    cause,
  });
