import { healthResponse } from '../../schemas/operator.ts';
import { listDataDirectories, measureDisks } from '../../storage/blobs/disk-space.ts';
import { readOperatorHealth } from '../../storage/db/operator-health.ts';
import { listWorkers } from '../../storage/db/workers.ts';
import { runProbes } from '../../system/health.ts';
import { readVersion } from '../../system/version.ts';
import { defineRoute } from '../http/route.ts';
import { listProbes } from '../probes.ts';

/** What searches the web: the host of a SearXNG, or the service itself. */
const describeSearch = (searxngUrl: string | undefined) =>
  searxngUrl === undefined ? 'pages that the team has scraped' : `SearXNG at ${new URL(searxngUrl).host}`;

/** The operator's view of the service. */
export const healthRoutes = [
  defineRoute({
    method: 'get',
    path: '/admin/health',
    tag: 'Health',
    summary: 'Get the state of the service: its parts, workers, open jobs, disks and versions',
    rateLimited: false,
    response: healthResponse,
    errors: [],
    async handler(_request, deps) {
      const { db, config } = deps;
      const [parts, workers, database, disks, server] = await Promise.all([
        runProbes(listProbes(deps)),
        listWorkers(db),
        readOperatorHealth(db),
        measureDisks(listDataDirectories(config)),
        // That Temporal does not respond is said by its part.
        deps.temporal.readServerState().catch(() => ({ version: '', queues: [] })),
      ]);
      return {
        success: true,
        data: {
          isReady: Object.values(parts).every((state) => state === 'ok'),
          parts,
          workers: workers.map((worker) => ({ ...worker, seenAt: worker.seenAt.toISOString() })),
          openJobs: database.openJobs.map((jobs) => ({ ...jobs, oldest: jobs.oldest.toISOString() })),
          queues: server.queues,
          disks,
          databaseBytes: database.bytes,
          deliveries: database.deliveries,
          features: { model: config.llm?.model ?? null, search: describeSearch(config.searxngUrl) },
          versions: {
            winnow: readVersion(),
            node: process.version,
            postgres: database.version,
            temporal: server.version,
          },
          uptimeSeconds: Math.round(process.uptime()),
        },
      };
    },
  }),
];
