import { ServiceError } from '../../errors.ts';
import type { Database, Queryable } from '../../storage/db/client.ts';
import { hasLongConversion } from '../../storage/db/jobs/long-conversions.ts';
import { lockCredits, readAvailableCredits } from '../../storage/db/teams/available-credits.ts';
import type { Caller } from '../../storage/db/teams/teams.ts';

/** The credits that a request needs. */
interface Required {
  minimum: number;
  /** Whether it needs them for its pages, so that one with fewer pages could be paid. */
  isForPages?: boolean;
  /** The job that the request has stored, which does not count as other work. */
  jobId?: string;
}

/**
 * Requires credits that the running work of the team has not reserved. Another request may reserve the same
 * ones before this one has stored its job, so that {@link reserveCredits} looks again.
 * @throws ServiceError `INSUFFICIENT_CREDITS` if the team has fewer of them left than a request needs
 */
export async function requireCredits(
  db: Pick<Database, 'query'>,
  { teamId, creditsRemaining }: Caller,
  { minimum, isForPages, jobId }: Required,
): Promise<void> {
  // Free requests are allowed even if the team has a negative number of credits.
  if (minimum === 0 || creditsRemaining === null) return;
  const available = await readAvailableCredits(db, teamId, jobId);
  if (available === undefined || available >= minimum) return;
  const reserved = creditsRemaining - available;
  const isReserved = reserved > 0;
  const left = isReserved ? Math.max(0, available) : creditsRemaining;
  const besides = isReserved ? ` besides the ${reserved} that its running work has reserved` : '';
  const orLater = isReserved ? ', or send the request again when that work has ended' : '';
  const fewer =
    isForPages && left > 0 ? `Set limit to at most ${left}, or send as many URLs in a batch. ` : '';
  throw new ServiceError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits: this request needs ${minimum}, but the team has ${left} left${besides}. ${fewer}Ask your operator for more${orLater}.`,
  );
}

/**
 * Requires credits before the body of a request is read, unless the request may be for a scrape of the team
 * that continues after its timeout. That scrape has reserved what it costs. A request that does not join it
 * needs the credits when its job is stored.
 * @throws ServiceError as {@link requireCredits}
 */
export async function requireCreditsUnlessJoining(
  db: Pick<Database, 'query'>,
  caller: Caller,
  required: Required,
): Promise<void> {
  try {
    await requireCredits(db, caller, required);
  } catch (error) {
    if (!(await hasLongConversion(db, caller.teamId))) throw error;
  }
}

/**
 * Requires credits for a job in the transaction that has stored it. Requests of a team that arrive at the
 * same moment pass one after the other, so that none finds the credits of another one.
 * @throws ServiceError as {@link requireCredits}
 */
export async function reserveCredits(
  query: Queryable,
  caller: Caller,
  required: Required & { jobId: string },
): Promise<void> {
  if (caller.creditsRemaining === null) return;
  await lockCredits(query, caller.teamId);
  await requireCredits({ query }, caller, required);
}
