import type { Caller } from '../../storage/db/teams/teams.ts';
import type { ApiDeps } from './route.ts';

/**
 * Requires that there is storage for another job of a team.
 * @throws ServiceError `INSUFFICIENT_STORAGE` if the service has too little, `STORAGE_LIMIT_REACHED` if the results of
 * the team take as much as they may
 */
export async function requireStorage(
  { storage, storedResults }: Pick<ApiDeps, 'storage' | 'storedResults'>,
  caller: Caller,
): Promise<void> {
  await storage.requireSpace();
  await storedResults.requireRoom(caller);
}
