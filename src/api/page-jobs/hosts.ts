import { JOB_KINDS } from '../../job-kinds.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { pageJobHosts } from '../../schemas/page-job.ts';
import { readDocumentPace } from '../../storage/db/pages/document-pace.ts';
import { listHostPace } from '../../storage/db/pages/host-pace.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { requirePageJob } from './require-page-job.ts';

/** Creates the route of the pace of a batch or crawl: its limits, and its hosts. */
export function hostsRoute({ kind, tag }: PageJobResource): AnyRoute {
  const { path, noun } = JOB_KINDS[kind];
  return defineRoute({
    method: 'get',
    path: `${path}/:id/hosts`,
    tag,
    summary: `Get the pace of a ${noun}: its limits, its documents over time, and the hosts that wait or take longest`,
    params: jobIdParams,
    response: pageJobHosts,
    errors: ['NOT_FOUND'],
    rateLimited: false,
    async handler({ caller, params: { id } }, { db, config }) {
      const job = await requirePageJob({ db, config }, { id, teamId: caller.teamId, kind, below: '/hosts' });
      // A job with zero data retention has hashes in place of its hosts, and measures none.
      const hosts = job.cipher.encrypts ? [] : await listHostPace(db, id);
      const progress = await readDocumentPace(db, id);
      return {
        success: true,
        limit: job.pageLimit,
        maxConcurrency: job.maxConcurrency,
        delay: job.delayMs === null ? null : job.delayMs / 1000,
        progress: progress.map(({ documents, at }) => ({ documents, at: at.toISOString() })),
        hosts: hosts.map(({ pausedUntil, robotsUntil, ...host }) => ({
          ...host,
          pausedUntil: pausedUntil?.toISOString() ?? null,
          robotsUntil: robotsUntil?.toISOString() ?? null,
        })),
      };
    },
  });
}
