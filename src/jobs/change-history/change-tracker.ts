import { createHash } from 'node:crypto';
import type { z } from 'zod';
import {
  type ChangeTrackingMode,
  type Comparison,
  type PageContent,
  packVersion,
  unpackVersion,
} from '../../content/changes/compare.ts';
import type { changeTracking } from '../../content/formats/change-tracking.ts';
import type { Redaction } from '../../content/redaction/redaction.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { ServiceError } from '../../errors.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { addVersion, findPageHistory, type PageVersion } from '../../storage/db/pages/page-versions.ts';
import { normalizeTarget } from '../../url/url.ts';

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
  /** What replaced the personal data of the page; `undefined` if nothing did. */
  redaction?: Omit<Redaction, 'names'> | undefined;
  /** The start URL of the crawl; `undefined` if the page belongs to no crawl. */
  crawlStart: string | undefined;
  /**
   * Whether the page is known only from an earlier crawl, and was found neither by links nor by sitemaps.
   */
  hidden: boolean;
  /** When the page was fetched, in milliseconds since 1970. */
  scrapedAt: number;
  modes: ChangeTrackingMode[];
  /** The current content; `undefined` if the page no longer exists. */
  current: TrackedContent | undefined;
}

/** The content of a page that is compared. */
interface TrackedContent extends PageContent {
  fingerprint: Uint8Array;
  /**
   * Returns the data for the mode `json`, the same in every call; in place of `json`, where a language model
   * makes it. It is not called for an unchanged page whose data is known.
   */
  findJson?(): Promise<unknown>;
}

/** How a comparison runs in a rendering thread. */
interface RenderOptions {
  signal: AbortSignal;
  /** Whether a user is waiting for the page. */
  urgent: boolean;
}

/** Compares pages with what the same team scraped before, and stores them for the next comparison. */
export interface ChangeTracker {
  track(
    page: TrackedPage,
    options: RenderOptions,
  ): Promise<{ changeTracking: ChangeTracking; warnings: string[] }>;
}

/** Dependencies of change tracking. */
export interface ChangeTrackerDeps {
  db: Database;
  /** Contents of page versions, which are kept as long as the versions. */
  versionBlobs: Blobs;
  renderer: RenderPool;
  /** Milliseconds that a page is remembered after its last scrape. */
  trackingTtlMs: number;
}

const PREVIOUS_TEXT_LOST =
  'The text of the previous scrape is no longer stored, so no diff could be created.';

/**
 * Returns the key of a page's history: the SHA-256 hash of URL and tag, and of how personal data is replaced,
 * because a version with and one without it differ although the page does not. Scrapes with the same key are
 * compared with each other.
 */
export const historyKey = (url: string, tag: string | null, redaction?: TrackedPage['redaction']) =>
  createHash('sha256')
    .update(JSON.stringify([normalizeTarget(url), tag, ...(redaction ? [keyOf(redaction)] : [])]))
    .digest();

const keyOf = ({ mode, replaceStyle, entities = [] }: NonNullable<TrackedPage['redaction']>) => [
  mode,
  replaceStyle,
  entities.toSorted(),
];

/**
 * Creates the change tracker. The versions of a page are numbered: each one is compared with the one before
 * it and takes the next number. If two scrapes take the same number at the same time, the slower one fails
 * to store its version and compares again, with the version of the faster one.
 */
export function createChangeTracker(deps: ChangeTrackerDeps): ChangeTracker {
  const { db, versionBlobs, renderer, trackingTtlMs } = deps;

  /**
   * Stores the content of a page. If the page is unchanged, the previous blob is used again, unless half of
   * its retention time is over, or the mode `json` was requested and it has no data.
   */
  async function storeContent(content: TrackedContent, isSame: boolean, previous: PageVersion | undefined) {
    const { markdown, json, findJson } = content;
    const previousBlob = previous?.blob;
    const storedAt = previous?.storedAt;
    const isYoung = storedAt && storedAt.getTime() > Date.now() - trackingTtlMs / 2;
    let known: PageContent | undefined;
    if (isSame && previousBlob && json === undefined) {
      if (findJson) known = await readVersion(previousBlob);
      if (isYoung && (!findJson || known?.json !== undefined)) return { blob: previousBlob, storedAt };
    }
    const data = json ?? known?.json ?? (await findJson?.());
    const blob = await versionBlobs.put(packVersion({ markdown, ...(data !== undefined && { json: data }) }));
    return { blob, storedAt: new Date() };
  }

  /** Reads a stored version; `undefined` if it is no longer stored. */
  async function readVersion(blob: string): Promise<PageContent | undefined> {
    try {
      return unpackVersion(await versionBlobs.get(blob));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
      return undefined;
    }
  }

  async function compareWith(
    previous: PageVersion,
    { content, modes }: { content: TrackedContent; modes: ChangeTrackingMode[] },
    options: RenderOptions & { owner: string },
  ): Promise<Comparison> {
    const { fingerprint, markdown, findJson } = content;
    if (previous.fingerprint?.equals(fingerprint)) return { isSame: true, warnings: [] };
    const json = content.json ?? (await findJson?.());
    const after = { markdown, ...(json !== undefined && { json }) };
    try {
      const before = previous.blob === null ? undefined : await versionBlobs.get(previous.blob);
      return await renderer.compare({ before, after, modes }, options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
      return { isSame: false, warnings: modes.length ? [PREVIOUS_TEXT_LOST] : [] };
    }
  }

  return {
    async track(page, options) {
      const { teamId, jobId, scrapeId, url, tag, redaction, crawlStart, current, modes } = page;
      const scrape = { teamId, scrapeId, key: historyKey(url, tag, redaction) };
      for (;;) {
        options.signal.throwIfAborted();
        const { previous, number } = await findPageHistory(db, scrape);
        const { isSame, warnings, ...differences }: Comparison =
          current && previous
            ? await compareWith(previous, { content: current, modes }, { ...options, owner: teamId })
            : { isSame: false, warnings: [] };
        const stored = current
          ? await storeContent(current, isSame, previous)
          : { blob: null, storedAt: null };
        const isStored = await addVersion(db, scrape, number, {
          ...stored,
          jobId,
          url,
          crawlKey: crawlStart === undefined ? (previous?.crawlKey ?? null) : historyKey(crawlStart, tag),
          scrapedAt: new Date(page.scrapedAt),
          fingerprint: current ? Buffer.from(current.fingerprint) : null,
        });
        if (!isStored) continue;
        const status = isSame ? 'same' : previous ? 'changed' : 'new';
        return {
          changeTracking: {
            previousScrapeAt: previous?.scrapedAt.toISOString() ?? null,
            changeStatus: current ? status : 'removed',
            visibility: page.hidden ? 'hidden' : 'visible',
            ...differences,
          },
          warnings,
        };
      }
    },
  };
}
