import { isDeepStrictEqual } from 'node:util';
import type { KeptBatch } from '../db/page-jobs.ts';
import { openTarget } from '../db/webhooks.ts';
import { ServiceError } from '../errors.ts';
import type { BatchRequest } from '../schemas/batch.ts';
import { narrowTarget } from '../schemas/webhook.ts';
import type { Seal } from '../seal.ts';

/** Fields of a request that say nothing of how its pages are scraped, or that count for this request alone. */
const OWN = new Set(['urls', 'appendToId', 'ignoreInvalidURLs', 'origin', 'integration']);

/** As JSON has it: without what is undefined. */
const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/**
 * A batch has one set of options for all of its pages: whoever adds pages may leave them out, or repeat them.
 * @param sent the body before defaults were put in: only what it names is compared
 * @throws ServiceError `BAD_REQUEST` that names each option that differs
 */
export function requireSameOptions(
  { sent, body }: { sent: unknown; body: BatchRequest },
  batch: KeptBatch,
  seal: Seal,
): void {
  // The API validated it before it was written down.
  const request = seal.openJson(batch.request) as Record<string, unknown>;
  const kept: Record<string, unknown> = {
    ...request,
    maxConcurrency: batch.maxConcurrency ?? undefined,
    webhook: batch.webhook === null ? undefined : openTarget(batch.webhook, seal),
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
