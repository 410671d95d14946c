import type { PageDetails } from '../../schemas/monitor-results.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { listHistory, type WatchedPage } from '../../storage/db/monitors/history.ts';
import type { StoredCheckPage } from '../../storage/db/monitors/pages.ts';
import type { HistoryEntry } from './judging/ask-history.ts';
import { describeChange } from './judging/judge-change.ts';
import { readDetails } from './page-details.ts';

/** The most changes of a page that a question is about. */
const MAX_ENTRIES = 200;

/** Reads the changes of a page for a question, newest first. */
export async function historyOf(
  { db, monitorBlobs }: { db: Database; monitorBlobs: Blobs },
  page: WatchedPage,
): Promise<HistoryEntry[]> {
  const found = await listHistory(db, page, { limit: MAX_ENTRIES, onlyChanges: true });
  return Promise.all(
    found.map(async (row) => ({
      checkId: row.check_id,
      checkedAt: row.created_at,
      url: row.url,
      text: textOf(row, await readDetails(monitorBlobs, row.blob)),
    })),
  );
}

function textOf({ status, metadata }: StoredCheckPage, details: PageDetails): string {
  if (status === 'removed') return 'The page was gone.';
  const change = describeChange(details);
  if (change !== undefined) return change;
  const about = ['title', 'description'].flatMap((name) =>
    typeof metadata?.[name] === 'string' ? [`+ ${metadata[name]}`] : [],
  );
  const first = status === 'new' ? 'The page was read for the first time.' : 'The page changed as a whole.';
  const data = details.snapshot ? [JSON.stringify(details.snapshot.json)] : [];
  return [first, ...about, ...data].join('\n');
}
