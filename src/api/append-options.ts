import { isDeepStrictEqual } from 'node:util';
import type { StoredBatch } from '../db/jobs/page-jobs.ts';
import { decryptTarget } from '../db/webhooks.ts';
import type { JobCipher } from '../encryption/job-cipher.ts';
import { ServiceError } from '../errors.ts';
import type { BatchRequest } from '../schemas/batch.ts';
import { narrowTarget } from '../schemas/webhook.ts';

/** Fields that are not compared: they apply to one request only, or do not affect how pages are scraped. */
const OWN = new Set(['urls', 'appendToId', 'ignoreInvalidURLs', 'origin', 'integration']);

/** Converts a value to what its JSON would be parsed as, without undefined properties. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/**
 * Checks that a request that adds pages to a batch does not change the options of the batch. All pages of a
 * batch share one set of options, so the request may leave options out or repeat them.
 * @param request.sent the body before defaults were filled in; only the options that it contains are compared
 * @throws ServiceError `BAD_REQUEST`, which names each option that differs
 */
export function requireSameOptions(
  { sent, body }: { sent: unknown; body: BatchRequest },
  batch: StoredBatch,
  cipher: JobCipher,
): void {
  // The API validated the request before it was stored.
  const request = cipher.decryptJson(batch.request) as Record<string, unknown>;
  const kept: Record<string, unknown> = {
    ...request,
    maxConcurrency: batch.maxConcurrency ?? undefined,
    webhook: batch.webhook === null ? undefined : decryptTarget(batch.webhook, cipher),
  };
  const asked: Record<string, unknown> = {
    ...body,
    webhook: body.webhook && narrowTarget(body.webhook, 'batch_scrape'),
  };
  const differing = Object.keys(Object(sent)).filter(
    (name) => !OWN.has(name) && !isDeepStrictEqual(plain(asked[name]), plain(kept[name])),
  );
  if (!differing.length) return;
  throw new ServiceError(
    'BAD_REQUEST',
    `The batch ${body.appendToId} was started with other options: ${differing.join(', ')}. Leave them out to add pages that are scraped as its others, or start another batch. Limits of a batch that runs are changed by /retune.`,
    {
      details: differing.map((name) => ({
        code: 'custom',
        path: [name],
        message: `${name} differs from that of the batch`,
      })),
    },
  );
}
