import { setFlagsFromString } from 'node:v8';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { codeOf, isErrorCode, ServiceError, toServiceError } from '../../errors.ts';
import type { PatternVerdict } from '../../patterns/url-patterns.ts';
import { hasLittleMemory } from '../../system/memory.ts';
import type { CompareTask, Comparison } from '../changes/compare.ts';
import type { CheckTask } from '../extraction/check-data.ts';
import type { MarkdownConverter } from '../html/markdown-converter.ts';
import type { CheckedResponse } from '../language-model.ts';
import type { PictureComparison, PictureTask } from '../pictures/compare-pictures.ts';
import type { LinesTask } from './match-lines.ts';
import type { MatchTask } from './match-urls.ts';
import type { FileReply, RemuxedFile, RemuxTask } from './remux.ts';
import type { Rendered, RenderTask } from './render.ts';
import type { ThreadResult, ThreadTask } from './render-thread.ts';
import { SharedThreads } from './shared-threads.ts';

/** A pool of threads that derive formats, so that large pages delay neither heartbeats nor other pages. */
export interface RenderPool {
  /** How many tasks run and wait at this moment, those that are urgent and all others. */
  usage(): Record<'urgent' | 'other', PoolUsage>;
  /**
   * Starts a thread for urgent tasks if there is none, so that it loads its code while the page is still
   * being fetched.
   */
  wake(): void;
  /**
   * Derives formats from a page.
   * @param options.owner on whose behalf the task runs; the owners take turns
   * @param options.signal ends the thread that works on the task; its reason is thrown
   * @param options.urgent whether a client waits for the result; other tasks run at a lower priority, in
   * threads of their
   *   own; true by default
   * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` if the page needs more memory than a thread has,
   *   `SCRAPE_CONVERSION_TOO_LONG` if it needs more processor time than a task may take
   */
  render(task: RenderTask, options: TaskOptions): Promise<Rendered>;
  /** Compares two versions of a page. Options and errors are those of `render`. */
  compare(task: CompareTask, options: TaskOptions): Promise<Comparison>;
  /**
   * Compares two pictures of a page. Options and errors are those of `render`, and
   * `SCRAPE_UNSUPPORTED_FILE_ERROR`.
   */
  comparePictures(task: PictureTask, options: TaskOptions): Promise<PictureComparison>;
  /**
   * Checks data of a language model against a schema of a user, which may take long. Options and errors are
   * those of `render`.
   */
  check(task: CheckTask, options: TaskOptions): Promise<CheckedResponse>;
  /**
   * Compares URLs with the patterns of a crawl or map, which may take long. Options and errors are those of
   * `render`.
   */
  match(task: MatchTask, options: TaskOptions): Promise<PatternVerdict[]>;
  /**
   * Compares lines of a page with the patterns of a monitor, which may take long. Options and errors are those of
   * `render`.
   */
  matchLines(task: LinesTask, options: TaskOptions): Promise<string[]>;
  /**
   * Takes the audio or video track out of a file. Options and errors are those of `render`, and those
   * below.
   * @param options.fetchFile required for a playlist: copies a file that the playlist names to disk, and
   *   returns its path
   * @throws ServiceError `SCRAPE_AUDIO_UNSUPPORTED_URL`, `SCRAPE_VIDEO_UNSUPPORTED_URL`, and what `fetchFile`
   *   throws
   */
  remux(
    task: Omit<RemuxTask, 'files'>,
    options: TaskOptions & { fetchFile?: (url: string) => Promise<string> },
  ): Promise<RemuxedFile>;
  close(): Promise<void>;
}

/** How many tasks of a pool run, and how many wait for a place. */
interface PoolUsage {
  running: number;
  waiting: number;
}

interface TaskOptions {
  owner: string;
  signal: AbortSignal;
  urgent?: boolean;
}

/** Milliseconds without work after which a thread ends. */
const IDLE_MS = 60_000;

/**
 * When a thread runs out of memory, Node grants it another 16 MB in which to end. V8's default young
 * generation is larger than this one and can need more than that at once, in which case V8 ends the whole
 * process.
 */
const YOUNG_GENERATION_MB = 24;

/**
 * Flags of V8 for the garbage collection of all threads of the process. About 1 MB of each page reaches the
 * old generation, and the 20 MB of code and tables in it are marked with every collection. For a thread with
 * a memory limit, V8 would collect the old generation whenever it has doubled, which takes more time than all
 * other collections; now it does when there is four times as much as after the last collection, if the limit
 * allows, and one and a half times where memory is little. Objects also begin in the young generation wherever
 * they are created: most of those that V8 would place in the old generation live no longer than a page.
 */
const collectionFlags = () => [
  `--heap-growing-percent=${hasLittleMemory() ? 50 : 300}`,
  '--no-allocation-site-pretenuring',
];

/**
 * How much the threads for tasks that are not urgent give way to all other threads on Linux. While the
 * processors are busy, one of them gets about a tenth of the time that a thread of normal priority gets.
 */
const NICENESS = 10;

/**
 * Creates a pool that starts threads when there is work, and ends them when there is none. Urgent tasks have
 * up to `threads` of their own, and so have all others, because a thread cannot regain the priority that it
 * once gave up. Besides those, as many have a task that takes long.
 */
export function createRenderPool({
  threads,
  warm = true,
  maxMemoryMb,
  maxTaskMs,
  markdownConverter = 'winnow',
  onFault = () => undefined,
}: {
  threads: number;
  /** Starts the first thread at once, so that the first task does not wait for it; true by default. */
  warm?: boolean;
  maxMemoryMb: number;
  /** Processor time in milliseconds that a task may take. */
  maxTaskMs: number;
  markdownConverter?: MarkdownConverter;
  /** Called when a thread ends by itself, or sends a result that no caller waits for any more. */
  onFault?: (error: Error) => void;
}): RenderPool {
  for (const flag of collectionFlags()) setFlagsFromString(flag);
  const options = {
    filename: new URL('./render-thread.ts', import.meta.url).href,
    threads,
    maxTaskMs,
    restAfterMs: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    onFault,
  };
  const urgentThreads = new SharedThreads<ThreadTask, ThreadResult>({ ...options, warm });
  const otherThreads = new SharedThreads<ThreadTask, ThreadResult>({
    ...options,
    warm: false,
    niceIncrement: NICENESS,
  });
  async function run(task: ThreadTask, { urgent = true, ...options }: TaskOptions, port?: MessagePort) {
    const response = await (urgent ? urgentThreads : otherThreads)
      .run(task, { ...options, port })
      .catch((error) => {
        throw translate(error);
      });
    if (response.ok) return response.result;
    if (isErrorCode(response.code) && response.code !== 'UNKNOWN_ERROR')
      throw new ServiceError(response.code, response.message);
    throw new Error(`conversion failed: ${response.stack}`);
  }
  return {
    // Each kind of task has its own kind of result.
    render: (render, options) => run({ render, markdownConverter }, options) as Promise<Rendered>,
    compare: (compare, options) => run({ compare }, options) as Promise<Comparison>,
    comparePictures: (pictures, options) => run({ pictures }, options) as Promise<PictureComparison>,
    check: (check, options) => run({ check }, options) as Promise<CheckedResponse>,
    match: (match, options) => run({ match }, options) as Promise<PatternVerdict[]>,
    matchLines: (lines, options) => run({ lines }, options) as Promise<string[]>,
    async remux(task, { fetchFile, ...options }) {
      if (!fetchFile) return run({ remux: task }, options) as Promise<RemuxedFile>;
      const { port1: ownPort, port2: threadPort } = new MessageChannel();
      ownPort.on('message', ({ id, url }: { id: number; url: string }) => {
        const response = fetchFile(url).then((path): FileReply => ({ id, path }), toFileError(id));
        void response.then((message) => ownPort.postMessage(message));
      });
      return (
        run({ remux: { ...task, files: threadPort } }, options, threadPort) as Promise<RemuxedFile>
      ).finally(() => ownPort.close());
    },
    usage: () => ({ urgent: urgentThreads.usage, other: otherThreads.usage }),
    wake: () => urgentThreads.wake(),
    async close() {
      await Promise.all([urgentThreads.close(), otherThreads.close()]);
    },
  };
}

/** Turns an error into plain data for the thread. */
const toFileError =
  (id: number) =>
  (error: unknown): FileReply => {
    const { code, message } = toServiceError(error);
    return { id, code, message };
  };

function translate(error: unknown): unknown {
  const outOfMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!outOfMemory) return error;
  const message = 'The page needs more memory to convert than one page may take. Fetch a smaller part of it.';
  return new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message, { cause: error });
}
