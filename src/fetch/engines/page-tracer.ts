import type { FetchedSnapshot, ProxyKind } from '../../content/snapshot.ts';
import type { SourceText } from '../../content/source-text.ts';
import { toServiceError } from '../../errors.ts';
import type { EngineAttempt, PageTrace, Redirect, Stage, WaitReason } from '../../schemas/page-trace.ts';
import { currentIds } from '../../system/tracing.ts';
import type { Engine, EngineResult } from './engine.ts';
import { isBlocked } from './page-checks/blocked.ts';

/** One change from an engine to the next. */
export interface Fallback {
  from: string;
  to: string;
  reason: string;
  /** Milliseconds from the start of the first engine to the start of the second. */
  afterMs: number;
}

interface Attempt {
  engine: FetchedSnapshot['engine'] | 'cache';
  proxy: ProxyKind;
  requestedUrl?: string;
  startedAt: number;
  redirects: Redirect[];
  end?: { at: number; page: EngineResult } | { at: number; error: unknown };
}

/** A call of a language model, as {@link PageTracer.addModelCall} takes it. */
interface ModelCall {
  feature: string;
  ms: number;
  promptTokens: number;
  outputTokens: number;
  outcome: string;
}

/** What is known of a page when its document is made. */
interface Delivery {
  statusCode: number | undefined;
  documentBytes: number;
  credits: PageTrace['credits'];
}

/** Redirects of an attempt that are kept, and characters of each URL: sites decide both. */
const MAX_REDIRECTS = 10;
const MAX_URL_LENGTH = 500;
/** Calls of a language model that are kept. */
const MAX_MODEL_CALLS = 30;

/** Records how one page goes, from its beginning on. It only notes what happens and when. */
export class PageTracer {
  readonly #startedAt = performance.now();
  readonly #attempts: Attempt[] = [];
  readonly #stages: { stage: Stage; startedAt: number }[] = [];
  readonly #waits = new Map<WaitReason, number>();
  readonly #modelCalls: NonNullable<PageTrace['modelCalls']> = [];
  #cache: PageTrace['cache'];
  #tries = 1;
  #delivery: Pick<PageTrace, 'statusCode' | 'documentBytes' | 'credits'> = {};

  /** Begins a stage of the page, which ends the one before. */
  begin(stage: Stage): void {
    this.#stages.push({ stage, startedAt: performance.now() });
  }

  /** Records which try of the page this is, counted from 1. */
  setTries(tries: number): void {
    this.#tries = tries;
  }

  /** Records what the cache said. */
  setCache(cache: NonNullable<PageTrace['cache']>): void {
    this.#cache = cache;
  }

  /**
   * Records what the delivered page costs, and the bytes of its document.
   * @param delivery.statusCode its status, as the document has it; `undefined` for a file, which no site sent
   */
  setDelivery({ statusCode, ...delivery }: Delivery): void {
    this.#delivery = { ...(statusCode !== undefined && { statusCode }), ...delivery };
  }

  /** Records a wait of `ms` milliseconds. */
  addWait(reason: WaitReason, ms: number): void {
    this.#waits.set(reason, (this.#waits.get(reason) ?? 0) + ms);
  }

  /** Runs a wait and records it. */
  async wait<Result>(reason: WaitReason, wait: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await wait();
    } finally {
      this.addWait(reason, performance.now() - startedAt);
    }
  }

  /** Records a call of a language model that has just ended. */
  readonly addModelCall = ({ feature, ms, promptTokens, outputTokens, outcome }: ModelCall): void => {
    if (this.#modelCalls.length === MAX_MODEL_CALLS) return;
    const startMs = Math.max(0, this.#sinceStart(performance.now()) - ms);
    this.#modelCalls.push({ feature, startMs, ms, tokens: promptTokens + outputTokens, result: outcome });
  };

  /** Wraps an engine so that its attempts, their redirects and their waits for the browser are recorded. */
  record(name: Attempt['engine'], engine: Engine): Engine {
    return {
      fetchPage: async (request, signal) => {
        const { url, proxy, duringWait = (wait) => wait() } = request;
        const startedAt = performance.now();
        const attempt: Attempt = { engine: name, proxy, requestedUrl: url, startedAt, redirects: [] };
        this.#attempts.push(attempt);
        try {
          const page = await engine.fetchPage(
            {
              ...request,
              duringWait: (wait) => duringWait(() => this.wait('browser', wait)),
              onRedirect: (redirect) => addRedirect(attempt.redirects, redirect),
            },
            signal,
          );
          attempt.end = { at: performance.now(), page };
          return page;
        } catch (error) {
          attempt.end = { at: performance.now(), error };
          throw error;
        }
      },
    };
  }

  /**
   * Records that a copy from the cache was taken.
   * @param startedAt when it was looked for, as `performance.now()` says
   */
  recordCopy(page: FetchedSnapshot, startedAt: number): void {
    const end = { at: performance.now(), page };
    this.#attempts.push({ engine: 'cache', proxy: 'basic', startedAt, redirects: [], end });
    this.#cache = { verdict: 'hit', ageMs: Math.max(0, Date.now() - page.fetchedAt) };
  }

  /** The record so far, as it is stored. */
  get trace(): PageTrace {
    const now = performance.now();
    const waits = [...this.#waits]
      .map(([reason, ms]) => ({ for: reason, ms: Math.round(ms) }))
      .filter(({ ms }) => ms > 0);
    const { trace: traceId } = currentIds();
    return {
      ...(traceId && { traceId }),
      ...(this.#tries > 1 && { tries: this.#tries }),
      totalMs: this.#sinceStart(now),
      ...(this.#cache && { cache: this.#cache }),
      // The record is stored by the statement that stores the result.
      stages: this.stages.filter(({ stage }) => stage !== 'store'),
      ...(waits.length && { waits }),
      attempts: this.#attempts.map((attempt, index) => ({
        ...describe(attempt, now),
        startMs: this.#sinceStart(attempt.startedAt),
        ...(index > 0 && { because: fallbackReason(this.#attempts[index - 1]!, attempt) }),
      })),
      ...(this.#modelCalls.length && { modelCalls: this.#modelCalls }),
      ...this.#delivery,
    };
  }

  /** The stages so far, one after the other; the last one still runs. */
  get stages(): NonNullable<PageTrace['stages']> {
    const now = performance.now();
    return this.#stages.map(({ stage, startedAt }, index) => ({
      stage,
      startMs: this.#sinceStart(startedAt),
      ms: Math.round((this.#stages[index + 1]?.startedAt ?? now) - startedAt),
    }));
  }

  /** The changes of engine in order, with the reason for each. */
  get fallbacks(): Fallback[] {
    return this.#attempts.slice(1).flatMap((next, index) => {
      const previous = this.#attempts[index]!;
      return {
        from: nameOf(previous),
        to: nameOf(next),
        reason: fallbackReason(previous, next),
        afterMs: Math.round(next.startedAt - previous.startedAt),
      };
    });
  }

  #sinceStart(at: number): number {
    return Math.round(at - this.#startedAt);
  }
}

function addRedirect(redirects: Redirect[], { url, by }: Redirect): void {
  if (redirects.length < MAX_REDIRECTS) redirects.push({ url: url.slice(0, MAX_URL_LENGTH), by });
}

const nameOf = ({ engine, proxy }: Attempt) => (proxy === 'basic' ? engine : `${engine} by ${proxy} proxy`);

/** Describes an attempt, apart from its relation to others. @param now when one that still runs is read */
function describe(attempt: Attempt, now: number): Omit<EngineAttempt, 'startMs' | 'because'> {
  const { startedAt, redirects, requestedUrl, end } = attempt;
  const common = {
    engine: nameOf(attempt),
    ms: Math.round((end?.at ?? now) - startedAt),
    ...(redirects.length && { redirects }),
  };
  if (!end) return { ...common, result: NO_RESPONSE };
  if ('error' in end) return { ...common, result: toServiceError(end.error).code };
  const { url, statusCode, challenge, unconverted, text } = end.page;
  return {
    ...common,
    result: `HTTP ${statusCode}`,
    ...(isBlocked(end.page) && { blockedBy: challenge?.maker ?? `HTTP ${statusCode}` }),
    ...(requestedUrl !== undefined && url !== requestedUrl && { url: url.slice(0, MAX_URL_LENGTH) }),
    bytes: unconverted?.bytes.length ?? bytesOf(text),
  };
}

const bytesOf = (text: SourceText) => (typeof text === 'string' ? Buffer.byteLength(text) : text.length);

const NO_RESPONSE = 'no response so far';

function fallbackReason({ end }: Attempt, next: Attempt): string {
  if (!end || end.at > next.startedAt) return NO_RESPONSE;
  if ('error' in end) return toServiceError(end.error).code;
  if (end.page.statusCode >= 400) return `HTTP ${end.page.statusCode}`;
  return end.page.challenge ? 'a challenge instead of the page' : 'content that only scripts or frames bring';
}
