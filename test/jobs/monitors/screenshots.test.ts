import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePictures } from '../../../src/content/pictures/compare-pictures.ts';
import { PngWriter } from '../../../src/content/pictures/png-writer.ts';
import { ServiceError } from '../../../src/errors.ts';
import { checkScreenshot, type ScreenshotDeps } from '../../../src/jobs/monitors/screenshots.ts';
import { formatFileReference } from '../../../src/storage/blobs/file-urls.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';

const SIZE = 20;
const task = { owner: 'team', signal: new AbortController().signal };

let directory: string;
let results: Blobs;
let monitorBlobs: Blobs;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'winnow-screenshots-'));
  results = await openBlobs(directory, 'results');
  monitorBlobs = await openBlobs(directory, 'monitors');
});
afterAll(() => rm(directory, { recursive: true }));

/** Stores the screenshot of a page, as a scrape does. @param black how many of its rows are black */
async function takeScreenshot(black: number): Promise<string> {
  const writer = new PngWriter(SIZE, SIZE);
  for (let y = 0; y < SIZE; y++) await writer.addRow(new Uint8Array(SIZE * 3).fill(y < black ? 0 : 255));
  const bytes = await writer.end();
  return formatFileReference({ key: await results.put(bytes), size: bytes.length, mediaType: 'image/png' });
}

const check = (
  screenshot: unknown,
  earlier: string | null,
  {
    hasChanged = false,
    compare = comparePictures,
  }: { hasChanged?: boolean; compare?: ScreenshotDeps['renderer']['comparePictures'] } = {},
) =>
  checkScreenshot(
    { results, monitorBlobs, renderer: { comparePictures: compare } },
    { screenshot, earlier, hasChanged, detection: { threshold: 0.2, mask: ['.ad'] } },
    task,
  );

describe('the screenshot of a page', () => {
  it('is kept by the first check, and takes no more space while it is the same', async () => {
    const now = await takeScreenshot(1);
    expect(await check(now, null)).toEqual({ kept: now, isChanged: false });
    expect(await check(now, now)).toEqual({ kept: now, isChanged: false, changedShare: 0 });
  });

  it('takes the place of the one before only if more differs than counts, or the page has changed', async () => {
    const [first, second, third] = await Promise.all([1, 4, 7].map(takeScreenshot));
    await check(first, null);
    expect(await check(second, first!)).toEqual({ kept: first, isChanged: false, changedShare: 0.15 });
    const changed = await check(third, first!);
    const diff = {
      changedShare: 0.3,
      before: first,
      after: third,
      difference: expect.stringMatching(/^blob:/),
    };
    expect(changed).toEqual({ kept: third, isChanged: true, changedShare: 0.3, diff });
    // A further attempt finds the same.
    expect(await check(third, first!)).toEqual(changed);
    const worded = await check(second, first!, { hasChanged: true });
    expect(worded).toMatchObject({
      kept: second,
      isChanged: false,
      diff: { changedShare: 0.15, after: second },
    });
  });

  it('is not compared where there is none, and the next check is compared with the last one', async () => {
    const first = await takeScreenshot(2);
    await check(first, null);
    for (const missing of [undefined, 'https://a.test/picture.png'])
      expect(await check(missing, first)).toMatchObject({
        kept: first,
        isChanged: false,
        fault: expect.stringContaining('there is none'),
      });
    const huge = formatFileReference({ key: 'a'.repeat(64), size: 1e9, mediaType: 'image/png' });
    expect(await check(huge, first)).toMatchObject({ kept: first, fault: expect.stringContaining('64 MiB') });
    expect(await check(undefined, null)).toMatchObject({ kept: null, isChanged: false });
  });

  it('is no change where the one before has expired', async () => {
    const gone = formatFileReference({ key: 'b'.repeat(64), size: 9, mediaType: 'image/png' });
    const now = await takeScreenshot(9);
    expect(await check(now, gone)).toEqual({ kept: now, isChanged: false });
  });

  it('is no change where it cannot be compared, which the check says, and is tried again where that may help', async () => {
    const [first, second] = await Promise.all([1, 15].map(takeScreenshot));
    await check(first, null);
    const failing = (error: Error) => ({ compare: () => Promise.reject(error) });
    const slow = new ServiceError('SCRAPE_CONVERSION_TOO_LONG', 'It takes too long.');
    expect(await check(second, first!, failing(slow))).toEqual({
      kept: second,
      isChanged: false,
      fault: 'It takes too long.',
    });
    await expect(check(second, first!, failing(new Error('The thread has ended.')))).rejects.toThrow(
      'thread',
    );
  });
});
