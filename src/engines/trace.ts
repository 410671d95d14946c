import { toServiceError } from '../errors.ts';
import type { ProxyKind, Snapshot } from '../snapshot.ts';
import { challengeOf } from './challenge.ts';
import type { Engine } from './engine.ts';

/** One engine that gave way to another. */
export interface Fallback {
  from: string;
  to: string;
  reason: string;
  /** Milliseconds from the start of the first to the start of the second. */
  afterMs: number;
}

interface Attempt {
  engine: Snapshot['engine'];
  proxy: ProxyKind;
  startedAt: number;
  end?: { at: number; page: Snapshot } | { at: number; error: unknown };
}

/** Notes which engines were tried for one page. */
export class Trace {
  readonly #attempts: Attempt[] = [];

  /** An engine whose attempts are noted. */
  watch(name: Attempt['engine'], engine: Engine): Engine {
    return {
      obtain: async (request, signal) => {
        const attempt: Attempt = { engine: name, proxy: request.proxy, startedAt: performance.now() };
        this.#attempts.push(attempt);
        try {
          const page = await engine.obtain(request, signal);
          attempt.end = { at: performance.now(), page };
          return page;
        } catch (error) {
          attempt.end = { at: performance.now(), error };
          throw error;
        }
      },
    };
  }

  /** Each engine that was not the last, and why the next one was tried. */
  get fallbacks(): Fallback[] {
    return this.#attempts.slice(1).flatMap((next, index) => {
      const before = this.#attempts[index]!;
      return {
        from: nameOf(before),
        to: nameOf(next),
        reason: reasonOf(before, next),
        afterMs: Math.round(next.startedAt - before.startedAt),
      };
    });
  }
}

const nameOf = ({ engine, proxy }: Attempt) => (proxy === 'basic' ? engine : `${engine} by ${proxy} proxy`);

function reasonOf({ end }: Attempt, next: Attempt): string {
  if (!end || end.at > next.startedAt) return 'no response so far';
  if ('error' in end) return toServiceError(end.error).code;
  if (end.page.statusCode >= 400) return `HTTP ${end.page.statusCode}`;
  return challengeOf(end.page)
    ? 'a challenge instead of the page'
    : 'content that only scripts or frames bring';
}
