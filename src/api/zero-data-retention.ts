import type { Caller } from '../db/teams.ts';
import { ServiceError } from '../errors.ts';
import type { ScrapeRequest } from '../schemas/scrape.ts';

type Options = Pick<ScrapeRequest, 'zeroDataRetention' | 'lockdown' | 'formats' | 'actions' | 'profile'>;

/** What keeps files or states for later requests. */
const KEEPING_FORMATS = new Set(['screenshot', 'deterministicJson', 'audio', 'video']);
const KEEPING_ACTIONS = new Set(['screenshot', 'pdf']);

/** Options of a request that cannot do without keeping something. */
function keeping({ formats, actions = [], profile }: Options): string[] {
  return [
    ...formats.filter(({ type }) => KEEPING_FORMATS.has(type)).map(({ type }) => `format ${type}`),
    ...actions.filter(({ type }) => KEEPING_ACTIONS.has(type)).map(({ type }) => `action ${type}`),
    ...(profile?.saveChanges ? ['profile with saveChanges'] : []),
  ];
}

/**
 * Whether nothing of a request may be kept: it asks for zero data retention, or for lockdown, which is the same.
 * @throws ServiceError `BAD_REQUEST` where the team may not ask; `SCRAPE_ZDR_VIOLATION_ERROR` where something else that
 *   it asks for has to be kept
 */
export function isSealed(options: Options, { zeroDataRetention }: Caller): boolean {
  if (!options.zeroDataRetention) return options.lockdown;
  if (!zeroDataRetention) {
    throw new ServiceError(
      'BAD_REQUEST',
      'Zero data retention is not enabled for this team. Ask your operator: `team set NAME --zero-data-retention on`.',
    );
  }
  const kept = keeping(options);
  if (kept.length) {
    throw new ServiceError(
      'SCRAPE_ZDR_VIOLATION_ERROR',
      `Not possible with zero data retention, because it has to be kept: ${kept.join(', ')}. Leave it out, or zeroDataRetention.`,
    );
  }
  return true;
}
