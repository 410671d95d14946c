import { ServiceError, toServiceError } from '../../errors.ts';
import type { PatternVerdict } from '../../patterns/url-patterns.ts';
import type { CompareTask, Comparison } from '../changes/compare.ts';
import type { CheckTask } from '../extraction/check-data.ts';
import { loadMarkdownConverter, type MarkdownConverter } from '../html/markdown-converter.ts';
import type { CheckedResponse } from '../language-model.ts';
import type { PictureComparison, PictureTask } from '../pictures/compare-pictures.ts';
import type { LinesTask } from './match-lines.ts';
import type { MatchTask } from './match-urls.ts';
import { beginTask } from './processor-time.ts';
import type { RemuxedFile, RemuxTask } from './remux.ts';
import { type Rendered, type RenderTask, render } from './render.ts';
import type { ThreadInput } from './shared-threads.ts';

type ThreadOutcome =
  | Rendered
  | Comparison
  | PictureComparison
  | RemuxedFile
  | CheckedResponse
  | PatternVerdict[]
  | string[];

/** The result of a task. Errors are plain data, because they lose their class between threads. */
export type ThreadResult =
  | { ok: true; result: ThreadOutcome }
  | { ok: false; code: string; message: string; stack: string | undefined };

/** A task for a rendering thread. */
export type ThreadTask =
  | { render: RenderTask; markdownConverter: MarkdownConverter }
  | { compare: CompareTask }
  | { pictures: PictureTask }
  | { check: CheckTask }
  | { match: MatchTask }
  | { lines: LinesTask }
  | { remux: RemuxTask };

/** Performs one task. This is the entry point of a rendering thread. */
export default async function run({ task, sign }: ThreadInput<ThreadTask>): Promise<ThreadResult> {
  beginTask(sign);
  try {
    return { ok: true, result: await resultOf(task) };
  } catch (error) {
    const { code, message } = toServiceError(error instanceof RangeError ? tooLarge(error) : error);
    return { ok: false, code, message, stack: error instanceof Error ? error.stack : String(error) };
  }
}

async function resultOf(task: ThreadTask): Promise<ThreadOutcome> {
  if ('render' in task) return render(task.render, await loadMarkdownConverter(task.markdownConverter));
  // The rest is loaded on demand, because most threads only ever render pages.
  if ('compare' in task) {
    const { compareVersions } = await import('../changes/compare.ts');
    return compareVersions(task.compare);
  }
  if ('pictures' in task) {
    const { comparePictures } = await import('../pictures/compare-pictures.ts');
    return comparePictures(task.pictures);
  }
  if ('check' in task) {
    const { checkData } = await import('../extraction/check-data.ts');
    return checkData(task.check);
  }
  if ('match' in task) {
    const { matchUrls } = await import('./match-urls.ts');
    return matchUrls(task.match);
  }
  if ('lines' in task) {
    const { matchLines } = await import('./match-lines.ts');
    return matchLines(task.lines);
  }
  const { remuxTrack } = await import('./remux.ts');
  return remuxTrack(task.remux);
}

/**
 * V8 throws a `RangeError` when a string, an array or the stack cannot grow any further. A retry would fail
 * as well.
 */
function tooLarge(cause: RangeError): ServiceError {
  const message = 'The page is too large or too deeply nested to convert. Fetch a smaller part of it.';
  return new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message, { cause });
}
