import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Blobs } from '../blobs/index.ts';
import {
  type ChangeTrackingMode,
  type Comparison,
  type PageContent,
  packVersion,
} from '../changes/compare.ts';
import type { Database } from '../db/client.ts';
import { addVersion, findPast, type PageVersion } from '../db/page-versions.ts';
import { ServiceError } from '../errors.ts';
import type { changeTracking } from '../formats/change-tracking.ts';
import type { RenderPool } from '../rendering/render-pool.ts';
import { normalizeTarget } from '../url/url.ts';

/** The field `changeTracking` of a document. */
export type ChangeTracking = z.output<typeof changeTracking.value>;

/** A scraped page, and the history that it belongs to. */
export interface TrackedPage {
  teamId: string;
  jobId: string;
  /** Id of the scrape, which is the same in every attempt. */
  scrapeId: string;
  /** The requested URL. */
  url: string;
  tag: string | null;
  /** The start URL of the crawl; `undefined` if the page belongs to no crawl. */
  start: string | undefined;
  /**
   * Whether the page is known only from an earlier crawl, and was found neither by links nor by sitemaps.
   */
  hidden: boolean;
  /** When the page was fetched, in milliseconds since 1970. */
  scrapedAt: number;
  modes: ChangeTrackingMode[];
  /** The current content; `undefined` if the page no longer exists. */
  now: (PageContent & { fingerprint: Uint8Array }) | undefined;
}

/** Compares pages with what the same team scraped before, and stores them for the next comparison. */
export interface Tracker {
  track(
    page: TrackedPage,
    options: { signal: AbortSignal; urgent: boolean },
  ): Promise<{ changeTracking: ChangeTracking; warnings: string[] }>;
}

/** Dependencies of change tracking. */
export interface TrackerDoors {
  db: Database;
  /** Contents of page versions, which are kept as long as the versions. */
  versionBlobs: Blobs;
  renderer: RenderPool;
  /** Milliseconds that a page is remembered after its last scrape. */
  trackingTtlMs: number;
}

const LOST = 'The text of the previous scrape is gone: there is nothing to make a diff with.';

/** The key of a page's history. Scrapes with the same URL and tag are compared with each other. */
export const versionKey = (url: string, tag: string | null) =>
  createHash('sha256')
    .update(JSON.stringify([normalizeTarget(url), tag]))
    .digest();

/**
 * Creates the tracker. The versions of a page are numbered: each one is compared with the one before it and
 * takes the next number. If two scrapes take the same number at the same time, the slower one fails to store
 * its version and compares again, with the version of the faster one.
 */
export function createTracker({ db, versionBlobs, renderer, trackingTtlMs }: TrackerDoors): Tracker {
  /**
   * Stores the content of a page. If the page is unchanged and has no JSON, the previous blob is used again,
   * unless half of its retention time is over.
   */
  async function store(now: PageContent, isSame: boolean, previous: PageVersion | undefined) {
    const storedAt = previous?.storedAt ?? null;
    const isEnough = isSame && now.json === undefined;
    if (isEnough && previous?.blob && storedAt && storedAt.getTime() > Date.now() - trackingTtlMs / 2) {
      return { blob: previous.blob, storedAt };
    }
    const { markdown, json } = now;
    const blob = await versionBlobs.put(packVersion({ markdown, ...(json !== undefined && { json }) }));
    return { blob, storedAt: new Date() };
  }

  async function compare(
    { now, modes }: TrackedPage & { now: PageContent & { fingerprint: Uint8Array } },
    previous: PageVersion,
    options: { signal: AbortSignal; urgent: boolean },
  ): Promise<Comparison> {
    if (previous.fingerprint?.equals(now.fingerprint)) return { isSame: true, warnings: [] };
    const { fingerprint: _, ...after } = now;
    try {
      const before = previous.blob === null ? undefined : await versionBlobs.get(previous.blob);
      return await renderer.compare({ before, after, modes }, options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
      return { isSame: false, warnings: modes.length ? [LOST] : [] };
    }
  }

  return {
    async track(page, options) {
      const { teamId, jobId, scrapeId, url, tag, start, now } = page;
      const scrape = { teamId, scrapeId, key: versionKey(url, tag) };
      for (;;) {
        options.signal.throwIfAborted();
        const { previous, number } = await findPast(db, scrape);
        const { isSame, warnings, ...found }: Comparison =
          now && previous
            ? await compare({ ...page, now }, previous, options)
            : { isSame: false, warnings: [] };
        const kept = now ? await store(now, isSame, previous) : { blob: null, storedAt: null };
        const isWritten = await addVersion(db, scrape, number, {
          ...kept,
          jobId,
          url,
          crawl: start === undefined ? (previous?.crawl ?? null) : versionKey(start, tag),
          scrapedAt: new Date(page.scrapedAt),
          fingerprint: now ? Buffer.from(now.fingerprint) : null,
        });
        if (!isWritten) continue;
        const status = isSame ? 'same' : previous ? 'changed' : 'new';
        return {
          changeTracking: {
            previousScrapeAt: previous?.scrapedAt.toISOString() ?? null,
            changeStatus: now ? status : 'removed',
            visibility: page.hidden ? 'hidden' : 'visible',
            ...found,
          },
          warnings,
        };
      }
    },
  };
}
