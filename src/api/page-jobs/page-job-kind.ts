import type { PageJobKind } from '../../job-kinds.ts';
import type { Database } from '../../storage/db/client.ts';
import { findOwnKind } from '../../storage/db/jobs/find-own-kind.ts';

/** Finds out whether a job of a team is a batch or a crawl; undefined if the team has no such job. */
export async function findPageJobKind(
  db: Database,
  { id, teamId }: { id: string; teamId: string },
): Promise<PageJobKind | undefined> {
  const kind = await findOwnKind(db, id, teamId);
  return kind === 'crawl' || kind === 'batch_scrape' ? kind : undefined;
}
