import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';
import { type Authenticate, bearerKeyOf } from '../http/auth.ts';

/** The caller of the operator's routes, who belongs to no team and has no limits. */
const OPERATOR: Caller = {
  teamId: 'operator',
  apiKeyId: null,
  creditsRemaining: null,
  creditsPlanned: null,
  rateLimitPerMinute: 0,
  concurrency: 0,
  openJobs: null,
  storedMegabytes: null,
  monitors: null,
  zeroDataRetention: false,
};

const hash = (text: string) => createHash('sha256').update(text).digest();

/**
 * Identifies the operator by the `Authorization` header. The key of a team is refused, and so is everybody
 * where no key of the operator is set, also while authentication of teams is off.
 * @param adminKey the key of the operator, if there is one
 */
export function createOperatorAuth(adminKey: string | undefined): Authenticate {
  return async (authorization) => {
    if (!adminKey)
      throw new ServiceError(
        'UNAUTHORIZED',
        'Unauthorized: this service has no key of the operator. Set WINNOW_ADMIN_KEY and start it again.',
      );
    const key = bearerKeyOf(authorization);
    // Hashes have one length, so the comparison tells nothing about that of the key.
    if (key && timingSafeEqual(hash(key), hash(adminKey))) return OPERATOR;
    throw new ServiceError(
      'UNAUTHORIZED',
      `Unauthorized: ${key ? 'this is not the key of the operator' : 'the key of the operator is missing'}. It is in the file admin-key of the data directory, unless WINNOW_ADMIN_KEY sets it. Send it as Authorization: Bearer <key>.`,
    );
  };
}
