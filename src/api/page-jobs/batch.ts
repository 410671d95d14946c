import { v7 as uuidv7 } from 'uuid';
import { expectedPriceOf } from '../../credits.ts';
import { errorsRaisedBy, excerpt, ServiceError } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { type BatchRequest, batchBody } from '../../schemas/batch.ts';
import { startResponse } from '../../schemas/page-job.ts';
import { performOnce } from '../../storage/db/idempotency.ts';
import { appendToBatch, type StoredBatch } from '../../storage/db/jobs/extend-page-job.ts';
import { insertPageJob } from '../../storage/db/jobs/page-jobs.ts';
import type { NewPage } from '../../storage/db/pages/pages.ts';
import { requireOpenJob } from '../../storage/db/teams/quotas.ts';
import {
  createJobCipher,
  hashRequest,
  NULL_CIPHER,
  restoreJobCipher,
} from '../../system/encryption/job-cipher.ts';
import { nameJob } from '../../system/tracing.ts';
import { parseTarget } from '../../url/url.ts';
import { requireStorage } from '../http/require-storage.ts';
import { defineRoute } from '../http/route.ts';
import { listDetails } from '../validation/validate.ts';
import { requiresEncryption } from '../zero-data-retention.ts';
import { requireSameOptions } from './append-options.ts';
import { keepsResponses } from './archive-option.ts';
import type { PageJobResource } from './page-job-resource.ts';
import { pageJobRoutes } from './routes.ts';
import { warnOfUrls, warnOfWebhook } from './start-warnings.ts';

const batch: PageJobResource = { kind: 'batch_scrape', tag: 'Batch' };

/**
 * Separates the URLs of a batch into pages and invalid URLs.
 * @throws ServiceError `BAD_REQUEST` if no URL is valid, or if one is not and `ignoreInvalidURLs` is false
 */
function parseUrls({ urls, ignoreInvalidURLs }: BatchRequest, allowLocalNames: boolean) {
  const pages = new Map<string, NewPage>();
  const invalid: string[] = [];
  for (const url of urls) {
    if (pages.has(url)) continue;
    try {
      pages.set(url, { url, host: parseTarget(url, allowLocalNames).host, depth: 0 });
    } catch (error) {
      if (!(error instanceof ServiceError) || !ignoreInvalidURLs) throw error;
      invalid.push(url);
    }
  }
  if (!pages.size) {
    throw new ServiceError(
      'BAD_REQUEST',
      `No valid URLs provided: ${excerpt(invalid.join(', '), 500)}. Use URLs such as https://example.com/page.`,
      {
        details: listDetails(invalid, (url) => ({
          code: 'custom',
          path: ['urls'],
          message: `Invalid URL: ${excerpt(url)}`,
        })),
      },
    );
  }
  const doubled = urls.length - invalid.length - pages.size;
  const warning = `Doubled URLs: ${doubled} of ${urls.length}. Each URL is scraped and charged once.`;
  return { pages: [...pages.values()], invalid, ...(doubled > 0 && { warning }) };
}

/** Whether an entry of `urls` may be the URL of a page, which costs something. */
function isTarget(entry: unknown): boolean {
  if (typeof entry !== 'string') return false;
  try {
    return parseTarget(entry, true) !== undefined;
  } catch {
    return false;
  }
}

/** Names the target of a batch in the activity list: its first URL and the number of the others. */
const describeUrls = ([first = '', ...others]: string[]) =>
  others.length ? `${first} and ${others.length} more` : first;

/** The host of all pages; `undefined` if they are on several, because a job is found by one. */
const hostOf = ([first, ...others]: readonly { host: string }[]) =>
  others.every(({ host }) => host === first?.host) ? first?.host : undefined;

/**
 * Creates the check of whether a request may add pages to a batch.
 * @returns a function that returns the cipher of the batch. It throws a ServiceError `BAD_REQUEST` if the
 *   request requires encryption but the batch is stored unencrypted, or if the options of both differ
 */
function createAppendCheck(
  request: { id: string; rawBody: unknown; body: BatchRequest; isEncrypted: boolean },
  secretKey: string,
) {
  const { id, rawBody, body, isEncrypted } = request;
  return (stored: StoredBatch) => {
    if (isEncrypted && !stored.wrappedKey) {
      throw new ServiceError(
        'BAD_REQUEST',
        `The results of the batch ${id} are stored. To scrape pages with zero data retention or lockdown, start a new batch with that option.`,
      );
    }
    const cipher = restoreJobCipher({ id, wrappedKey: stored.wrappedKey }, secretKey);
    requireSameOptions({ rawBody, body }, stored, cipher);
    return cipher;
  };
}

const create = defineRoute({
  method: 'post',
  path: JOB_KINDS.batch_scrape.path,
  tag: batch.tag,
  summary: 'Scrape a list of pages as one job',
  body: batchBody,
  response: startResponse,
  errors: [...errorsRaisedBy('start', 'options'), 'NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'JOB_ENDED'],
  minCredits(rawBody) {
    const { urls } = fieldsOf(rawBody);
    return Array.isArray(urls) ? [...new Set(urls)].filter(isTarget).length : 1;
  },
  async handler({ caller, body, rawBody, baseUrl, idempotencyKey }, deps) {
    const { config, db, temporal } = deps;
    await requireStorage(deps, caller);
    const isEncrypted = requiresEncryption(body, caller);
    const archive = keepsResponses(body, config);
    const { secretKey } = config;
    const { pages, invalid, warning } = parseUrls(body, config.allowPrivate.length > 0);
    const { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency = null, ...request } = body;
    const { teamId, apiKeyId } = caller;
    // The idempotency key is stored with the request, which is kept as a hash with zero data retention.
    const call = {
      teamId,
      key: idempotencyKey,
      request: isEncrypted ? hashRequest(rawBody, secretKey) : rawBody,
    };
    const ttlMs = config.resultTtlMs;
    // Pages that are added have the options of their batch, which the request need not repeat.
    let isHidden = isEncrypted || appendToId !== undefined;
    const { id } = await performOnce(db, call, async (query) => {
      if (appendToId) {
        const check = createAppendCheck({ id: appendToId, rawBody, body, isEncrypted }, secretKey);
        const authorize = (stored: StoredBatch) => {
          const cipher = check(stored);
          isHidden = cipher.encrypts;
          return cipher;
        };
        await appendToBatch(query, { id: appendToId, teamId, pages, ttlMs, authorize });
        return { id: appendToId };
      }
      await requireOpenJob(query, caller);
      const id = uuidv7();
      nameJob(id);
      await insertPageJob(query, {
        id,
        teamId,
        apiKeyId,
        kind: batch.kind,
        target: describeUrls(urls),
        request: { ...request, archive },
        ttlMs,
        cipher: isEncrypted ? createJobCipher(id, secretKey) : NULL_CIPHER,
        pages,
        webhook,
        baseUrl,
        maxConcurrency,
        limit: null,
        delayMs: null,
        reserved: expectedPriceOf(request),
      });
      return { id };
    });
    const job = {
      kind: batch.kind,
      jobId: id,
      teamId,
      label: `Batch of ${pages.length} pages`,
      host: hostOf(pages),
      asked: { urls: pages.length },
      isEncrypted: isHidden,
      // An existing batch may have been started with a webhook.
      webhook: webhook !== undefined || appendToId !== undefined,
    };
    await (appendToId === undefined ? temporal.startPageJob(job) : temporal.continuePageJob(job));
    const url = `${baseUrl}${JOB_KINDS.batch_scrape.path}/${id}`;
    const warnings = [
      ...(warning ? [warning] : []),
      ...warnOfUrls(urls),
      ...warnOfWebhook(webhook, batch.kind),
    ];
    return {
      success: true as const,
      id,
      url,
      ...(ignoreInvalidURLs && { invalidURLs: invalid }),
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
    };
  },
});

/** The routes of batches. */
export const batchRoutes = [create, ...pageJobRoutes(batch)];
