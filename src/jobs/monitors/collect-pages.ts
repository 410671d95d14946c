import { v5 as uuidv5 } from 'uuid';
import type { MonitorTarget } from '../../schemas/monitor-targets.ts';
import type { SearchResult } from '../../schemas/search.ts';
import { findResult } from '../../storage/db/jobs/jobs.ts';
import { type CheckJob, listCheckJobs, markCollected } from '../../storage/db/monitors/check-jobs.ts';
import {
  addCheckPages,
  findEarlierFailures,
  findEarlierPages,
  pageWithoutDocument,
} from '../../storage/db/monitors/pages.ts';
import { targetsOf, wantsJudgment } from './begin-check.ts';
import {
  type CollectDeps,
  type CollectedCheck,
  collectDocuments,
  ownerOf,
  thresholdOf,
} from './collect-documents.ts';
import { followFailures } from './failures.ts';
import type { NamedTarget } from './plan-jobs.ts';
import { finishCollection, retryJob } from './retries.ts';

/**
 * Adds the pages of all jobs that have ended to their check, also of those that end meanwhile: a check none of whose jobs
 * runs ends with the pages that it has.
 * @returns the jobs that run
 */
export async function collectEndedJobs(deps: CollectDeps, check: CollectedCheck): Promise<CheckJob[]> {
  const targets = new Map(targetsOf(check.monitor).map((named) => [named.name, named]));
  const seen = new Set<string>();
  for (;;) {
    const jobs = await listCheckJobs(deps.db, check.checkId);
    // The pages of a job stay where they are if its check has ended, or the target has another type by now.
    const ended = jobs.filter((job) => !isOpen(job) && !job.isCollected && !seen.has(job.jobId));
    if (ended.length === 0) return jobs.filter(isOpen);
    for (const job of ended) {
      seen.add(job.jobId);
      const named = targets.get(job.targetId);
      if (named) await collectJob(deps, check, { job, named });
    }
  }
}

const isOpen = ({ status }: CheckJob) => status === 'scraping';

/**
 * Adds the pages of a job that has ended to its check. What could not be read is tried once more, by a job of its own,
 * before it counts. It may be repeated.
 */
async function collectJob(
  deps: CollectDeps,
  check: CollectedCheck,
  { job, named }: { job: CheckJob; named: NamedTarget },
): Promise<void> {
  const { target } = named;
  if (job.status !== 'completed' && (job.kind === 'search' || job.pages === 0 || job.status === null)) {
    if (await retryJob(deps, { check, job, named })) return;
    return collectFailure(deps, check, { job, target });
  }
  if (job.kind === 'search') return collectResults(deps, check, job);
  if (target.type === 'search') return;
  const pages = await collectDocuments(deps, check, { job, named: { ...named, target } });
  if (job.status !== 'completed') return collectFailure(deps, check, { job, target });
  await finishCollection(deps, { check, job, named }, pages);
}

/** Adds one page in place of all that a job did not do. */
async function collectFailure(
  { db }: CollectDeps,
  check: CollectedCheck,
  { job, target }: { job: CheckJob; target: MonitorTarget },
): Promise<void> {
  const url = job.target ?? '';
  const earlier = await findEarlierFailures(db, { ...ownerOf(check), targetId: job.targetId }, [url]);
  const page = pageWithoutDocument(uuidv5(job.jobId, check.checkId), {
    targetId: job.targetId,
    url,
    status: 'error',
    ...followFailures('error', earlier.get(url), thresholdOf(target)),
    error: job.error?.message ?? 'The job of this target was cancelled or has expired.',
  });
  await db.query.transaction().execute(async (query) => {
    await addCheckPages(query, ownerOf(check), [page]);
    await markCollected(query, job.jobId);
  });
}

/** Adds the results of a search: those that earlier checks have not found are new. */
async function collectResults(
  { db, results, models }: CollectDeps,
  check: CollectedCheck,
  { jobId, targetId, target: words }: CheckJob,
): Promise<void> {
  const stored = await findResult(db, jobId);
  // The activities of the search wrote the result in this shape.
  const found = stored && (JSON.parse((await results.get(stored.blob)).toString()) as SearchResult);
  const byUrl = new Map((found?.data.web ?? []).map((result) => [result.url, result]));
  const place = { ...ownerOf(check), targetId };
  const earlierPages = await findEarlierPages(db, place, [...byUrl.keys()]);
  const isJudged = models !== undefined && wantsJudgment(check.monitor);
  const pages = [...byUrl].map(([url, { title, description, position }]) => {
    const status = earlierPages.has(url) ? 'same' : 'new';
    // Two searches of a target may find the same page.
    return pageWithoutDocument(uuidv5(JSON.stringify([targetId, url]), check.checkId), {
      targetId,
      url,
      status,
      metadata: { title, description, position, query: words },
      isJudgmentDue: status === 'new' && isJudged,
    });
  });
  await db.query.transaction().execute(async (query) => {
    await addCheckPages(query, place, pages);
    await markCollected(query, jobId);
  });
}
