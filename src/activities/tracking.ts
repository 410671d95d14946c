import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Blobs } from '../blobs.ts';
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
import type { RenderPool } from '../formats/pool.ts';
import { normalizeTarget } from '../url.ts';

/** What a page is told of its past. */
export type ChangeTracking = z.output<typeof changeTracking.value>;

/** A page that was scraped, and whose history it belongs to. */
export interface TrackedPage {
  teamId: string;
  jobId: string;
  /** The same in every attempt. */
  scrapeId: string;
  /** As it was asked for. */
  url: string;
  tag: string | null;
  /** Of a crawl: where it started. */
  start: string | undefined;
  /** The crawl found it by no link and no sitemap. */
  hidden: boolean;
  /** In milliseconds since 1970. */
  scrapedAt: number;
  modes: ChangeTrackingMode[];
  /** What it looks like; `undefined`: there is no page any more. */
  now: (PageContent & { fingerprint: Uint8Array }) | undefined;
}

/** Compares pages with what the same team scraped before, and remembers them for the next time. */
export interface Tracker {
  track(
    page: TrackedPage,
    options: { signal: AbortSignal; urgent: boolean },
  ): Promise<{ changeTracking: ChangeTracking; warnings: string[] }>;
}

/** What tracking needs from outside. */
export interface TrackerDoors {
  db: Database;
  /** Texts of pages, for as long as their rows. */
  versionBlobs: Blobs;
  renderer: RenderPool;
  /** How long a page is remembered after its last scrape. */
  trackingTtlMs: number;
}

const LOST = 'The text of the previous scrape is gone: there is nothing to make a diff with.';

/** What scrapes of a page have in common that are compared with each other. */
export const versionKey = (url: string, tag: string | null) =>
  createHash('sha256')
    .update(JSON.stringify([normalizeTarget(url), tag]))
    .digest();

/**
 * Versions of a page form a chain: each is compared with the one before it, and takes the number behind it. Of scrapes
 * at the same time the slower one finds the number taken, and compares anew.
 */
export function createTracker({ db, versionBlobs, renderer, trackingTtlMs }: TrackerDoors): Tracker {
  /** The blob of a page as it is now; the one before stays where it says the same, until half its time is over. */
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
