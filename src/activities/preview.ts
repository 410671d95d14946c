import { Context } from '@temporalio/activity';
import { toServiceError } from '../errors.ts';
import { crawlOptionsForm, crawlPrompt, validOptions } from '../jobs/crawl/prompt/model-options.ts';
import type { Models } from '../models/index.ts';
import { startModelTime } from '../models/model-time.ts';
import type { Database } from '../storage/db/client.ts';
import { findJob, findOutcome } from '../storage/db/jobs/jobs.ts';
import { completeJob } from '../storage/db/jobs/take-credits.ts';
import type { JobResults } from '../storage/job-results.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Dependencies of previews. */
export interface PreviewDeps {
  db: Database;
  results: JobResults;
  models: Models | undefined;
}

/** The options that a model derived from the prompt of a crawl. */
export interface PreviewResult {
  /** Absent if the model could not be used. */
  options?: ReturnType<typeof validOptions>;
  /** Why the model could not be used. */
  reason?: string;
}

/** How long the model may take, in milliseconds. */
const MODEL_MS = 25_000;

/** The activities of previews. */
export function previewActivities({ db, results, models }: PreviewDeps) {
  return {
    /**
     * Asks the model which options the prompt of a crawl describes. A model that fails is no error, because
     * rules can take its place.
     * @returns the key of the result
     */
    async previewCrawl(jobId: string): Promise<string | undefined> {
      const job = await findJob(db, jobId);
      if (job?.status !== 'scraping') return (await findOutcome(db, jobId))?.blob ?? undefined;
      using _ = startHeartbeat();
      // The API validated the request before it stored it.
      const result = await ask(jobId, job.team_id, job.request as { url: string; prompt: string });
      const stored = await results.putResult(jobId, Buffer.from(JSON.stringify(result)));
      await completeJob(db, { jobId, credits: 0, ...stored });
      return stored.blob;
    },
  };

  async function ask(
    jobId: string,
    teamId: string,
    { url, prompt }: { url: string; prompt: string },
  ): Promise<PreviewResult> {
    const { cancellationSignal } = Context.current();
    using time = startModelTime(MODEL_MS, cancellationSignal);
    const { signal, endsAt } = time;
    try {
      const model = models?.modelFor({ feature: 'crawl', teamId, jobId, signal, endsAt });
      const value = await model?.fill(crawlPrompt(url, prompt), crawlOptionsForm);
      return value === undefined ? {} : { options: validOptions(value) };
    } catch (error) {
      cancellationSignal.throwIfAborted();
      const { code, message } = toServiceError(error);
      if (!code.startsWith('MODEL_')) throw error;
      return { reason: message };
    }
  }
}
