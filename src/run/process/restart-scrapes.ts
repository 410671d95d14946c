import { toServiceError } from '../../errors.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { Database } from '../../storage/db/client.ts';
import { listRunningScrapes } from '../../storage/db/jobs/jobs.ts';
import { restoreJobCipher } from '../../system/encryption/job-cipher.ts';
import type { Logger } from '../../system/logger.ts';
import type { Temporal } from '../../temporal/workflow-client.ts';
import { labelsOf } from '../../temporal/workflow-starts.ts';

/** Options of {@link restartScrapes}. */
interface RestartOptions {
  db: Database;
  secretKey: string;
  temporal: Pick<Temporal, 'startScrape'>;
  logger: Logger;
}

/**
 * Starts the workflows of scrapes that were stored but have none, because API and worker were killed at the
 * same time. Those that have one are not affected. One that cannot be read, because its key is another one,
 * is logged and left to upkeep.
 * @throws ServiceError `SERVICE_UNAVAILABLE` if Postgres or Temporal does not respond
 */
export async function restartScrapes(options: RestartOptions): Promise<void> {
  for (const row of await listRunningScrapes(options.db)) {
    try {
      await restart(row, options);
    } catch (error) {
      if (toServiceError(error).code === 'SERVICE_UNAVAILABLE') throw error;
      options.logger.warn({ err: error, jobId: row.id }, 'an unfinished scrape could not be started again');
    }
  }
}

async function restart(
  { id, team_id: teamId, wrappedKey, ...row }: Awaited<ReturnType<typeof listRunningScrapes>>[number],
  { secretKey, temporal }: RestartOptions,
): Promise<void> {
  const cipher = restoreJobCipher({ id, wrappedKey }, secretKey);
  // The API validated the request before it stored it.
  const { url, upload, timeout: timeoutMs } = cipher.decryptJson(row.request) as ScrapeRequest;
  const labels = cipher.encrypts ? {} : labelsOf({ upload, target: url, url: URL.parse(url)?.href });
  await temporal.startScrape({ jobId: id, teamId, timeoutMs, ...labels });
}
