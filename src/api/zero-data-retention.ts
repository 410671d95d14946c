import { recordsOf } from '../content/formats/index.ts';
import { ServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import { leaveTrace } from '../system/tracing.ts';

type Options = Pick<
  ScrapeRequest,
  'zeroDataRetention' | 'lockdown' | 'formats' | 'actions' | 'profile' | 'onlyCleanContent'
>;

/** Actions whose results are files, which have to be stored after the request. */
const ACTIONS_WITH_FILES = new Set(['screenshot', 'pdf']);

/**
 * Lists the options of a request that zero data retention excludes: they require data to be stored, or are
 * defined so.
 */
function excludedOptions({ formats, actions = [], profile, onlyCleanContent }: Options): string[] {
  return [
    ...recordsOf(formats).flatMap(({ format, request }) =>
      format.keepsData ? [`format ${request.type}`] : [],
    ),
    ...actions.filter(({ type }) => ACTIONS_WITH_FILES.has(type)).map(({ type }) => `action ${type}`),
    ...(profile?.saveChanges ? ['profile with saveChanges'] : []),
    ...(onlyCleanContent ? ['onlyCleanContent'] : []),
  ];
}

/**
 * Whether the job of a request has to be encrypted, as both `zeroDataRetention` and `lockdown` require. If so, its
 * trace has nothing but its id.
 * @throws ServiceError `BAD_REQUEST` if zero data retention is not enabled for the team;
 *   `SCRAPE_ZDR_VIOLATION_ERROR` if another option requires data to be stored
 */
export function requiresEncryption(options: Options, caller: Caller): boolean {
  const isEncrypted = isZeroDataRetention(options, caller);
  if (isEncrypted) leaveTrace();
  return isEncrypted;
}

function isZeroDataRetention(options: Options, { zeroDataRetention }: Caller): boolean {
  if (!options.zeroDataRetention) return options.lockdown;
  if (!zeroDataRetention) {
    throw new ServiceError(
      'BAD_REQUEST',
      'Zero data retention is not enabled for this team. Ask your operator: `team set NAME --zero-data-retention on`.',
    );
  }
  const conflicting = excludedOptions(options);
  if (conflicting.length) {
    throw new ServiceError(
      'SCRAPE_ZDR_VIOLATION_ERROR',
      `Zero data retention cannot be combined with ${conflicting.join(', ')}. Leave these options or zeroDataRetention out.`,
    );
  }
  return true;
}
