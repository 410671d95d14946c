import type { PageContent } from '../../content/changes/compare.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { listHistory, type WatchedPage } from '../../storage/db/monitors/history.ts';
import type { StoredCheckPage } from '../../storage/db/monitors/pages.ts';
import type { HistoryEntry } from './judging/ask-history.ts';
import { describeChange } from './judging/judge-change.ts';
import { readDetails, readVersion } from './page-details.ts';

/** The most changes of a page that a question is about. */
const MAX_ENTRIES = 200;

const LOOKS_DIFFERENT = 'The page looked different, and its words were the same.';

/** Reads the changes of a page for a question, newest first. */
export async function historyOf(
  { db, monitorBlobs }: { db: Database; monitorBlobs: Blobs },
  page: WatchedPage,
): Promise<HistoryEntry[]> {
  const found = await listHistory(db, page, { limit: MAX_ENTRIES, onlyChanges: true });
  return Promise.all(
    found.map(async (row) => {
      const details = await readDetails(monitorBlobs, row.blob);
      const text =
        describeChange(details) ??
        (details.diff?.screenshot
          ? LOOKS_DIFFERENT
          : describeWhole(row, await readVersion(monitorBlobs, row.version)));
      return { checkId: row.check_id, checkedAt: row.created_at, url: row.url, text };
    }),
  );
}

/** What was found of a page that was not compared with an earlier version. */
function describeWhole({ status, metadata }: StoredCheckPage, version: PageContent | undefined): string {
  if (status === 'removed') return 'The page was gone.';
  const about = ['title', 'description'].flatMap((name) =>
    typeof metadata?.[name] === 'string' ? [`+ ${metadata[name]}`] : [],
  );
  const first = status === 'new' ? 'The page was read for the first time.' : 'The page changed as a whole.';
  const data = version?.json === undefined ? [] : [JSON.stringify(version.json)];
  const lines = version ? version.markdown.split('\n').filter((line) => line.trim() !== '') : [];
  return [first, ...about, ...data, ...lines.map((line) => `+${line}`)].join('\n');
}
