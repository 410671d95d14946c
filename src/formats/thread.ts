import { type CompareTask, type Comparison, compare } from '../changes/compare.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { type Rendered, type RenderTask, render } from './render.ts';

/** What a conversion thread answers: errors lose their class on the way between threads, so they go as data. */
export type ThreadAnswer =
  | { ok: true; result: Rendered | Comparison }
  | { ok: false; code: string; message: string; stack: string | undefined };

/** What a conversion thread is asked. */
export type ThreadTask = { render: RenderTask } | { compare: CompareTask };

/** The program of a conversion thread. */
export default function run(task: ThreadTask): ThreadAnswer {
  try {
    return { ok: true, result: 'render' in task ? render(task.render) : compare(task.compare) };
  } catch (error) {
    const { code, message } = toServiceError(error instanceof RangeError ? tooLarge(error) : error);
    return { ok: false, code, message, stack: error instanceof Error ? error.stack : String(error) };
  }
}

/** With a range error V8 says that a text, an array or its stack cannot grow any further; a second try changes nothing. */
function tooLarge(cause: RangeError): ServiceError {
  const message = 'The page is too large or too deeply nested to convert. Fetch a smaller part of it.';
  return new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message, { cause });
}
