import type { FetchedSnapshot, ProxyKind } from '../../content/snapshot.ts';
import { toServiceError } from '../../errors.ts';
import type { EngineAttempt } from '../../storage/db/tables.ts';
import type { Engine } from './engine.ts';
import { detectChallenge } from './page-checks/challenge.ts';

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
  startedAt: number;
  end?: { at: number; page: FetchedSnapshot } | { at: number; error: unknown };
}

/** Records which engines were tried for one page. */
export class EngineTrace {
  readonly #attempts: Attempt[] = [];

  /** Wraps an engine so that its attempts are recorded. */
  record(name: Attempt['engine'], engine: Engine): Engine {
    return {
      fetchPage: async (request, signal) => {
        const attempt: Attempt = { engine: name, proxy: request.proxy, startedAt: performance.now() };
        this.#attempts.push(attempt);
        try {
          const page = await engine.fetchPage(request, signal);
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
    this.#attempts.push({
      engine: 'cache',
      proxy: 'basic',
      startedAt,
      end: { at: performance.now(), page },
    });
  }

  /** Every attempt so far, in the order of their starts. */
  get attempts(): EngineAttempt[] {
    const now = performance.now();
    return this.#attempts.map((attempt, index) => {
      const previous = this.#attempts[index - 1];
      return {
        engine: describeAttempt(attempt),
        ms: Math.round((attempt.end?.at ?? now) - attempt.startedAt),
        result: describeEnd(attempt),
        ...(previous && { because: fallbackReason(previous, attempt) }),
      };
    });
  }

  /** The changes of engine in order, with the reason for each. */
  get fallbacks(): Fallback[] {
    return this.#attempts.slice(1).flatMap((next, index) => {
      const previous = this.#attempts[index]!;
      return {
        from: describeAttempt(previous),
        to: describeAttempt(next),
        reason: fallbackReason(previous, next),
        afterMs: Math.round(next.startedAt - previous.startedAt),
      };
    });
  }
}

const describeAttempt = ({ engine, proxy }: Attempt) =>
  proxy === 'basic' ? engine : `${engine} by ${proxy} proxy`;

function describeEnd({ end }: Attempt): string {
  if (!end) return NO_RESPONSE;
  return 'error' in end ? toServiceError(end.error).code : `HTTP ${end.page.statusCode}`;
}

const NO_RESPONSE = 'no response so far';

function fallbackReason({ end }: Attempt, next: Attempt): string {
  if (!end || end.at > next.startedAt) return NO_RESPONSE;
  if ('error' in end) return toServiceError(end.error).code;
  if (end.page.statusCode >= 400) return `HTTP ${end.page.statusCode}`;
  return detectChallenge(end.page)
    ? 'a challenge instead of the page'
    : 'content that only scripts or frames bring';
}
