import { v7 as uuidv7 } from 'uuid';
import { performOnce } from '../db/idempotency.ts';
import { appendToBatch, insertPageJob, type StoredBatch } from '../db/jobs/page-jobs.ts';
import type { NewPage } from '../db/pages/pages.ts';
import { createJobCipher, hashRequest, NULL_CIPHER, restoreJobCipher } from '../encryption/job-cipher.ts';
import { errorsRaisedBy, ServiceError } from '../errors.ts';
import { JOB_KINDS } from '../job-kinds.ts';
import { type BatchRequest, batchBody } from '../schemas/batch.ts';
import { started } from '../schemas/page-job.ts';
import { parseTarget } from '../url/url.ts';
import { requireSameOptions } from './append-options.ts';
import { type PageJobResource, pageJobRoutes } from './page-jobs.ts';
import { defineRoute } from './route.ts';
import { requiresEncryption } from './zero-data-retention.ts';

const batch: PageJobResource = { kind: 'batch_scrape', tag: 'Batch' };

/** The maximum number of invalid URLs that an error response lists. */
const MOST_DETAILS = 100;

/**
 * Separates the URLs of a batch into pages and invalid URLs.
 * @throws ServiceError `BAD_REQUEST` if no URL is valid, or if one is not and `ignoreInvalidURLs` is false
 */
function readUrls({ urls, ignoreInvalidURLs }: BatchRequest, allowLocalNames: boolean) {
  const pages: NewPage[] = [];
  const invalid: string[] = [];
  for (const url of urls) {
    try {
      pages.push({ url, host: parseTarget(url, allowLocalNames).host, depth: 0 });
    } catch (error) {
      if (!(error instanceof ServiceError) || !ignoreInvalidURLs) throw error;
      invalid.push(url);
    }
  }
  if (!pages.length) {
    throw new ServiceError(
      'BAD_REQUEST',
      'No valid URLs provided. Give addresses such as https://example.com/page.',
      {
        details: invalid.slice(0, MOST_DETAILS).map((url) => ({
          code: 'custom',
          path: ['urls'],
          message: `Invalid URL: ${url.slice(0, 200)}`,
        })),
      },
    );
  }
  return { pages, invalid };
}

const create = defineRoute({
  method: 'post',
  path: JOB_KINDS.batch_scrape.path,
  tag: batch.tag,
  summary: 'Scrape a list of pages as one job',
  body: batchBody,
  answer: started,
  errors: [...errorsRaisedBy('start', 'options'), 'NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'JOB_ENDED'],
  leastCredits: (sent) =>
    typeof sent === 'object' && sent !== null && 'urls' in sent && Array.isArray(sent.urls)
      ? sent.urls.length
      : 1,
  async handler({ caller, body, sent, baseUrl, idempotencyKey }, { config, db, temporal, storage }) {
    await storage.requireSpace();
    const isEncrypted = requiresEncryption(body, caller);
    const { secretKey } = config;
    const { pages, invalid } = readUrls(body, config.allowPrivate.length > 0);
    const { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency = null, ...request } = body;
    const { teamId, apiKeyId } = caller;
    const told = isEncrypted ? hashRequest(sent, secretKey) : sent;
    const call = { teamId, key: idempotencyKey, request: told };
    const { id } = await performOnce(db, call, async (query) => {
      const id = appendToId ?? uuidv7();
      if (appendToId) {
        const admit = (kept: StoredBatch) => {
          if (isEncrypted && !kept.wrappedKey) {
            throw new ServiceError(
              'BAD_REQUEST',
              `The batch ${id} is kept: pages with zero data retention or lockdown need a batch that began with it.`,
            );
          }
          const cipher = restoreJobCipher({ id, wrappedKey: kept.wrappedKey }, secretKey);
          requireSameOptions({ sent, body }, kept, cipher);
          return cipher;
        };
        await appendToBatch(query, { id, teamId, pages, ttlMs: config.resultTtlMs, admit });
      } else {
        const first = urls[0] ?? '';
        const target = urls.length > 1 ? `${first} and ${urls.length - 1} more` : first;
        const job = { id, teamId, apiKeyId, kind: batch.kind, target, request, ttlMs: config.resultTtlMs };
        await insertPageJob(query, {
          ...job,
          cipher: isEncrypted ? createJobCipher(id, secretKey) : NULL_CIPHER,
          pages,
          webhook,
          baseUrl,
          maxConcurrency,
          limit: null,
          delayMs: null,
        });
      }
      return { id };
    });
    await temporal.startPageJob({
      kind: batch.kind,
      jobId: id,
      teamId,
      label: `Batch of ${pages.length} pages`,
      isEncrypted,
      // A batch that pages are added to may have a webhook of its own.
      webhook: webhook !== undefined || appendToId !== undefined,
    });
    const url = `${baseUrl}${JOB_KINDS.batch_scrape.path}/${id}`;
    return { success: true as const, id, url, ...(ignoreInvalidURLs && { invalidURLs: invalid }) };
  },
});

/** The routes of batches. */
export const batchRoutes = [create, ...pageJobRoutes(batch)];
