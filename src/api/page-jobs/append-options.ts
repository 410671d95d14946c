import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../errors.ts';
import type { BatchRequest } from '../../schemas/batch.ts';
import { narrowTarget } from '../../schemas/webhook.ts';
import type { StoredBatch } from '../../storage/db/jobs/extend-page-job.ts';
import { decryptTarget } from '../../storage/db/webhooks.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';

/** Fields that are not compared: they apply to one request only, or do not affect how pages are scraped. */
const UNCOMPARED_FIELDS = new Set(['urls', 'appendToId', 'ignoreInvalidURLs', 'origin', 'integration']);

/** Converts a value to the result of parsing its JSON, which has no undefined properties. */
const throughJson = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/**
 * Checks that a request that adds pages to a batch does not change the options of the batch. All pages of a
 * batch share one set of options, so the request may leave options out or repeat them.
 * @param request.rawBody the body before defaults were filled in; only the options that it contains are
 * compared
 * @throws ServiceError `BAD_REQUEST`, which names each option that differs
 */
export function requireSameOptions(
  { rawBody, body }: { rawBody: unknown; body: BatchRequest },
  batch: StoredBatch,
  cipher: JobCipher,
): void {
  // The API validated the request before it was stored.
  const request = cipher.decryptJson(batch.request) as Record<string, unknown>;
  const stored: Record<string, unknown> = {
    ...request,
    maxConcurrency: batch.maxConcurrency ?? undefined,
    webhook: batch.webhook === null ? undefined : decryptTarget(batch.webhook, cipher),
  };
  const requested: Record<string, unknown> = {
    ...body,
    webhook: body.webhook && narrowTarget(body.webhook, 'batch_scrape'),
  };
  const differing = Object.keys(Object(rawBody)).filter(
    (name) =>
      !UNCOMPARED_FIELDS.has(name) &&
      !isDeepStrictEqual(throughJson(requested[name]), throughJson(stored[name])),
  );
  if (!differing.length) return;
  throw new ServiceError(
    'BAD_REQUEST',
    `The batch ${body.appendToId} was started with different options: ${differing.join(', ')}. Leave them out to scrape the added pages with the options of the batch, or start a new batch. To change the limits of a running batch, use /retune.`,
    {
      details: differing.map((name) => ({
        code: 'custom',
        path: [name],
        message: `${name} differs from the value of the batch`,
      })),
    },
  );
}
