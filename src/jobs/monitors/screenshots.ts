import type { z } from 'zod';
import type { PictureComparison } from '../../content/pictures/compare-pictures.ts';
import type { RenderPool } from '../../content/rendering/render-pool.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { monitorDiff } from '../../schemas/monitor-results.ts';
import type { ScreenshotDetection } from '../../schemas/monitor-targets.ts';
import { formatFileReference, parseFileReference, type StoredFile } from '../../storage/blobs/file-urls.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { readIfStored } from './page-details.ts';

/** Dependencies of the comparison of screenshots. */
export interface ScreenshotDeps {
  /** The screenshots of pages. */
  results: Blobs;
  /** Those that are kept as long as their checks. */
  monitorBlobs: Blobs;
  renderer: Pick<RenderPool, 'comparePictures'>;
}

/** The screenshot of a page at a check. */
export interface CheckedScreenshot {
  /** Reference to the picture that the next check is compared with; null if there is none. */
  kept: string | null;
  /** Whether more of it differs than the threshold of the target says. */
  isChanged: boolean;
  /** Absent if it was not compared. */
  changedShare?: number;
  /** What differs, if it counts as a change or the page has changed otherwise. */
  diff?: z.output<typeof monitorDiff>['screenshot'];
  /** Why it was not compared, as a sentence. */
  fault?: string;
}

/** A screenshot that is compared. */
interface ComparedPage {
  /** Reference to the screenshot of now, as documents have it. */
  screenshot: unknown;
  /** Reference to the one that it is compared with; null if there is none. */
  earlier: string | null;
  /** Whether the page has changed otherwise. */
  hasChanged: boolean;
  detection: ScreenshotDetection;
}

/** Larger files are not kept. Those of pages with many photos have a tenth of it. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Errors of a comparison that a further attempt would have as well. */
const FINAL_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  'SCRAPE_CONTENT_TOO_LARGE',
  'SCRAPE_CONVERSION_TOO_LONG',
  'SCRAPE_UNSUPPORTED_FILE_ERROR',
]);

/**
 * Compares the screenshot of a page with the one that an earlier check has kept. It takes its place if the page has
 * changed: as long as less differs than counts, all checks are compared with the same picture, so that small changes
 * add up, and noise takes no space.
 * @param task how the comparison runs in a rendering thread
 */
export async function checkScreenshot(
  deps: ScreenshotDeps,
  { screenshot, earlier, hasChanged, detection }: ComparedPage,
  task: { owner: string; signal: AbortSignal },
): Promise<CheckedScreenshot> {
  const { results, monitorBlobs } = deps;
  const known = await readPicture(monitorBlobs, earlier);
  const now = typeof screenshot === 'string' ? parseFileReference(screenshot) : undefined;
  const fault = faultOf(now);
  if (!now || fault) return { kept: known ? await keep(monitorBlobs, known) : null, isChanged: false, fault };
  const current = { file: now, bytes: await results.get(now.key) };
  if (!known) return { kept: await keep(monitorBlobs, current), isChanged: false };
  if (known.file.key === now.key)
    return { kept: await keep(monitorBlobs, current), isChanged: false, changedShare: 0 };
  const compared = await compare(deps, { before: known.bytes, after: current.bytes, detection }, task);
  if (typeof compared === 'string')
    return { kept: await keep(monitorBlobs, current), isChanged: false, fault: compared };
  const { changedShare, difference } = compared;
  const isChanged = changedShare > detection.threshold;
  const before = await keep(monitorBlobs, known);
  if (!isChanged && !hasChanged) return { kept: before, isChanged, changedShare };
  const after = await keep(monitorBlobs, current);
  if (!difference) return { kept: after, isChanged, changedShare };
  const picture = { file: { size: difference.length, mediaType: now.mediaType }, bytes: difference };
  const diff = { changedShare, before, after, difference: await keep(monitorBlobs, picture) };
  return { kept: after, isChanged, changedShare, diff };
}

/** A picture that was read. */
interface Picture {
  file: Omit<StoredFile, 'key'>;
  bytes: Uint8Array;
}

/** Keeps a picture as long as this check. @returns the reference to it */
const keep = async (monitorBlobs: Blobs, { file, bytes }: Picture): Promise<string> =>
  formatFileReference({ ...file, key: await monitorBlobs.put(bytes) });

/** Reads the picture that an earlier check has kept; `undefined` if it has expired. */
async function readPicture(monitorBlobs: Blobs, reference: string | null) {
  const file = reference === null ? undefined : parseFileReference(reference);
  const bytes = file && (await readIfStored(monitorBlobs, file.key));
  return file && bytes && { file, bytes };
}

/** Says why a screenshot is not compared; `undefined` if it is. */
function faultOf(screenshot: StoredFile | undefined): string | undefined {
  if (!screenshot) return 'there is none, because the page was not opened in a browser.';
  if (screenshot.size > MAX_BYTES) return `its file is larger than ${MAX_BYTES / 1024 / 1024} MiB.`;
  return undefined;
}

/** @returns why the pictures cannot be compared, if that is so */
async function compare(
  { renderer }: ScreenshotDeps,
  { before, after, detection }: { before: Uint8Array; after: Uint8Array; detection: ScreenshotDetection },
  task: { owner: string; signal: AbortSignal },
): Promise<PictureComparison | string> {
  const mask = detection.mask.filter((part) => typeof part !== 'string');
  try {
    return await renderer.comparePictures({ before, after, mask }, { ...task, urgent: false });
  } catch (error) {
    if (error instanceof ServiceError && FINAL_ERRORS.has(error.code)) return error.message;
    throw error;
  }
}
