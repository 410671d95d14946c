import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../errors.ts';
import type { Database } from '../../storage/db/client.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';

const WINDOW_SECONDS = 60;

/**
 * Requests that are counted together: starts of sessions, code in sessions, uploads under signed URLs, changes to jobs
 * that have begun, and all others.
 */
export type RateBucket = 'request' | 'sessionStart' | 'sessionCode' | 'upload' | 'jobChange';

/** The prefix of the keys of each bucket, and its limit per minute as a part of the team's. */
const BUCKETS: Record<RateBucket, { keyPrefix: string; share: number }> = {
  request: { keyPrefix: 'minute', share: 1 },
  // A browser is far more expensive than a page.
  sessionStart: { keyPrefix: 'session-start', share: 1 / 5 },
  sessionCode: { keyPrefix: 'session-code', share: 1 },
  // Whoever has got an upload URL or the URL of a session must not use up what the team may request with its keys.
  upload: { keyPrefix: 'upload', share: 1 },
  // Each wakes a workflow. A team that has used up its requests can still pause what it has started.
  jobChange: { keyPrefix: 'job-change', share: 1 / 5 },
};

/** The key of the row that counts the requests of a team, as the library names it. */
export const requestCountKey = (teamId: string) => `${BUCKETS.request.keyPrefix}:${teamId}`;

/**
 * Counts a request of the caller's team in a bucket.
 * @throws ServiceError `RATE_LIMITED` if the team exceeds its limit
 */
export type RateLimit = (
  caller: Pick<Caller, 'teamId' | 'rateLimitPerMinute'>,
  bucket: RateBucket,
) => Promise<void>;

/**
 * Limits the requests of each team per minute, each bucket by itself. All API processes share the counters
 * through Postgres. While Postgres is unavailable, each process counts by itself.
 */
export function createRateLimit(db: Database): RateLimit {
  const limiters = new Map<string, RateLimiterPostgres>();

  /** A limiter of the library has one fixed limit, so each limit in use by a team needs its own limiter. */
  function limiterFor(bucket: RateBucket, rateLimitPerMinute: number): RateLimiterPostgres {
    const { keyPrefix, share } = BUCKETS[bucket];
    const points = Math.ceil(rateLimitPerMinute * share);
    const name = `${keyPrefix} ${points}`;
    const known = limiters.get(name);
    if (known) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: db.pool,
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
      insuranceLimiter: new RateLimiterMemory({ points, duration: WINDOW_SECONDS }),
    });
    limiters.set(name, limiter);
    return limiter;
  }

  return async ({ teamId, rateLimitPerMinute }, bucket) => {
    try {
      await limiterFor(bucket, rateLimitPerMinute).consume(teamId);
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
