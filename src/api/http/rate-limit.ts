import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../db/client.ts';
import type { Caller } from '../../db/teams/teams.ts';
import { ServiceError } from '../../errors.ts';

const WINDOW_SECONDS = 60;

/**
 * Counts a request of the caller's team.
 * @throws ServiceError `RATE_LIMITED` if the team exceeds its limit
 */
export type RateLimit = (caller: Caller) => Promise<void>;

/**
 * Limits the requests of each team per minute. All API processes share the counters through Postgres.
 * While Postgres is unavailable, each process counts by itself.
 */
export function createRateLimit(db: Database): RateLimit {
  const limiters = new Map<number, RateLimiterPostgres>();

  /** A limiter of the library has one fixed limit, so each limit in use by a team needs its own limiter. */
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
