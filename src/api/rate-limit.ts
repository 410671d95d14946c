import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/client.ts';
import type { Caller } from '../db/teams.ts';
import { ServiceError } from '../errors.ts';

const WINDOW_SECONDS = 60;

/** Counts a request of the caller's team. @throws ServiceError `RATE_LIMITED` beyond its limit */
export type RateLimit = (caller: Caller) => Promise<void>;

/** One window of a minute per team, shared by all API processes through Postgres. */
export function createRateLimit(db: Database): RateLimit {
  const limiters = new Map<number, RateLimiterPostgres>();

  /** The library fixes the limit per limiter, teams differ: one limiter for each limit in use. */
  function limiterFor(points: number): RateLimiterPostgres {
    const known = limiters.get(points);
    if (known) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: db.pool,
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: 'minute',
      points,
      duration: WINDOW_SECONDS,
      insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
    });
    limiters.set(points, limiter);
    return limiter;
  }

  return async ({ teamId, rateLimitPerMinute }) => {
    try {
      await limiterFor(rateLimitPerMinute).consume(teamId);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      const reset = new Date(Date.now() + refusal.msBeforeNext).toISOString();
      throw new ServiceError(
        'RATE_LIMITED',
        `Rate limit exceeded. Consumed (req/min): ${refusal.consumedPoints}, Remaining (req/min): ${refusal.remainingPoints}. ` +
          `Retry after ${seconds}s, resets at ${reset}.`,
        { retryAfterSeconds: seconds },
      );
    }
  };
}
