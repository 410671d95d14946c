import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina, queueOptionsSymbol } from 'piscina';
import type { CompareTask, Comparison } from '../changes/compare.ts';
import { codeOf, isErrorCode, ServiceError, toServiceError } from '../errors.ts';
import type { Rendered, RenderTask } from './render.ts';
import type { ThreadAnswer, ThreadTask } from './thread.ts';
import type { FileAnswer, Track, TrackTask } from './track.ts';
import { URGENT, UrgentFirst } from './urgent-first.ts';

/** Threads that derive formats, so that heavy pages hold up neither heartbeats nor each other. */
export interface RenderPool {
  /**
   * @param options.signal ends the thread that works on the task; its reason is thrown
   * @param options.urgent goes before all that is not
   * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` when the page needs more memory than a thread has
   */
  render(task: RenderTask, options: TaskOptions): Promise<Rendered>;
  /** As `render`, for two versions of a page. */
  compare(task: CompareTask, options: TaskOptions): Promise<Comparison>;
  /**
   * As `render`, for a file of sound or moving pictures.
   * @param options.bring given for a playlist: copies a file that it names to the disk, and gives the path
   * @throws ServiceError `SCRAPE_AUDIO_UNSUPPORTED_URL`, `SCRAPE_VIDEO_UNSUPPORTED_URL`, and what `bring` throws
   */
  take(
    task: Omit<TrackTask, 'files'>,
    options: TaskOptions & { bring?: (url: string) => Promise<string> },
  ): Promise<Track>;
  close(): Promise<void>;
}

interface TaskOptions {
  signal: AbortSignal;
  urgent?: boolean;
}

/** Idle threads above the minimum end after this long. */
const IDLE_MS = 60_000;

/**
 * Node gives a thread out of memory 16 MB to end in. The larger young generation that is V8's default can need more at
 * once, and then V8 ends the whole process instead of the thread.
 */
const YOUNG_GENERATION_MB = 24;

/** Starts the threads that are kept warm; more come with the work, up to `threads`. */
export function createRenderPool({
  threads,
  warm = 1,
  maxMemoryMb,
  onFault = () => undefined,
}: {
  threads: number;
  /** Threads that are there without work; the others cost forty megabytes each and come when there is work for them. */
  warm?: number;
  maxMemoryMb: number;
  /** Hears of answers that nobody waits for any more, and of threads that end by themselves. */
  onFault?: (error: Error) => void;
}): RenderPool {
  const pool = new Piscina<ThreadTask, ThreadAnswer>({
    filename: new URL('./thread.ts', import.meta.url).href,
    minThreads: warm,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    taskQueue: new UrgentFirst(),
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  // Without a listener, the answer of a thread that was just called off would end the process.
  pool.on('error', onFault);
  async function run(task: ThreadTask, { signal, urgent = true }: TaskOptions, port?: MessagePort) {
    const queued = urgent ? Object.assign(task, { [queueOptionsSymbol]: URGENT }) : task;
    const response = await pool
      .run(queued, { signal, ...(port && { transferList: [port] }) })
      .catch((error) => {
        signal.throwIfAborted();
        throw translate(error);
      });
    if (response.ok) return response.result;
    if (isErrorCode(response.code) && response.code !== 'UNKNOWN_ERROR')
      throw new ServiceError(response.code, response.message);
    throw new Error(`conversion failed: ${response.stack}`);
  }
  return {
    // Each kind of task has its own kind of result.
    render: (render, options) => run({ render }, options) as Promise<Rendered>,
    compare: (compare, options) => run({ compare }, options) as Promise<Comparison>,
    async take(task, { bring, ...options }) {
      if (!bring) return run({ take: task }, options) as Promise<Track>;
      const { port1: ownPort, port2: threadPort } = new MessageChannel();
      ownPort.on('message', ({ id, url }: { id: number; url: string }) => {
        const response = bring(url).then((path): FileAnswer => ({ id, path }), toFileError(id));
        void response.then((message) => ownPort.postMessage(message));
      });
      return (run({ take: { ...task, files: threadPort } }, options, threadPort) as Promise<Track>).finally(
        () => ownPort.close(),
      );
    },
    close: () => pool.destroy(),
  };
}

/** Turns an error into plain data for the thread. */
const toFileError =
  (id: number) =>
  (error: unknown): FileAnswer => {
    const { code, message } = toServiceError(error);
    return { id, code, message };
  };

function translate(error: unknown): unknown {
  const outOfMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!outOfMemory) return error;
  const message = 'The page needs more memory to convert than one page may take. Fetch a smaller part of it.';
  return new ServiceError('SCRAPE_CONTENT_TOO_LARGE', message, { cause: error });
}
