import { Context } from '@temporalio/activity';
import type { Guides } from '../crawl/guides.ts';
import type { Database } from '../db/client.ts';
import { addToJob, readPageJob } from '../db/page-jobs.ts';
import { listCrawlPages } from '../db/page-versions.ts';
import { openJob } from './page-job.ts';
import { versionKey } from './tracking.ts';

/** Pages asked for at once: few enough that none of the end's short time is over before they are written down. */
const PAGES_AT_ONCE = 500;

/**
 * Adds pages to a crawl that tracks changes, when it has found all that it finds: those that an earlier crawl from the
 * same start had, and this one came by no link and no sitemap to. Called again when these have ended, until there are
 * none. Nothing happens to other jobs, or where the limit is reached.
 */
export async function recallPages(
  doors: { db: Database; guides: Guides; secretKey: string },
  jobId: string,
): Promise<void> {
  const { db, guides, secretKey } = doors;
  const job = await readPageJob(db, jobId);
  if (job?.kind !== 'crawl' || job.status !== 'scraping') return;
  if (job.pageLimit !== null && job.total >= job.pageLimit) return;
  const { teamId, seal, options, crawl } = await openJob(db, jobId, secretKey);
  const asked = options.formats.find((format) => format.type === 'changeTracking');
  if (seal.isSealed || !crawl || !asked) return;
  const guide = guides.of({ ...crawl, jobId, seal });
  const question = { teamId, jobId, crawl: versionKey(crawl.start, asked.tag), limit: PAGES_AT_ONCE };
  const { cancellationSignal: signal } = Context.current();
  try {
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const known = await listCrawlPages(db, { ...question, after });
      const last = known.at(-1);
      if (!last) return;
      const { found, ...skipped } = await guide.adopt(
        known.map(({ url }) => url),
        signal,
      );
      const pages = found.map((page) => ({ ...page, hidden: true }));
      const { added, isFull } = await addToJob(db, { jobId, pages, ...skipped, seal });
      if (added || isFull) return;
      after = last.key;
    }
  } catch (error) {
    // Pages that were recalled, but perhaps not written down, must count as new again.
    guides.forget(jobId);
    throw error;
  }
}
