import { createHash } from 'node:crypto';
import { type CanonicalOptions, canonicalKey } from './canonical-key.ts';

/** The key of a page of a crawl: equal for all URLs of the page, different in each crawl. */
export const pageKey = (jobId: string, url: string, options: CanonicalOptions) =>
  hashCanonicalKey(jobId, canonicalKey(url, options));

/**
 * The same key for a canonical key that is known: the first 128 bits of a SHA-256 hash, which are enough to
 * avoid collisions.
 */
export const hashCanonicalKey = (jobId: string, key: string) =>
  createHash('sha256').update(`${jobId} ${key}`).digest().subarray(0, 16);
