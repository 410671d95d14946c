import { availableParallelism } from 'node:os';
import { createDocumentConverter } from '../../content/parsers/conversion/document-converter.ts';
import { createRenderPool } from '../../content/rendering/render-pool.ts';
import type { Logger } from '../../system/logger.ts';
import { fitInMemory } from '../../system/memory.ts';
import type { WorkerConfig } from './worker-config.ts';

/** Memory limit of a rendering thread in MB. A page that needs more is rejected. */
const THREAD_MEMORY_MB = 512;
/** What a rendering thread takes of the memory, and the rest of the service with some pages and documents. */
const THREAD_SIZE = { eachMb: 512, besideMb: 768 };
/** What a conversion takes of the memory, and the rest of the service with some pages and sessions. */
const CONVERSION_SIZE = { eachMb: 640, besideMb: 1024 };
/**
 * Maximum number of audio and video files that are read at once. Reading mostly waits for the disk, or for
 * more of a playlist.
 */
const MAX_MEDIA_THREADS = 4;

/** Creates the threads that render pages, and those that extract audio and video. */
export function createThreadPools(
  { markdownConverter, maxConversionMs }: Pick<WorkerConfig, 'markdownConverter' | 'maxConversionMs'>,
  logger: Logger,
) {
  const renderer = createRenderPool({
    threads: fitInMemory(availableParallelism(), THREAD_SIZE),
    maxMemoryMb: THREAD_MEMORY_MB,
    maxTaskMs: maxConversionMs,
    markdownConverter,
    onFault: (error) => logger.warn({ err: error }, 'a rendering thread ended'),
  });
  const remuxPool = createRenderPool({
    threads: MAX_MEDIA_THREADS,
    warm: false,
    maxMemoryMb: THREAD_MEMORY_MB,
    maxTaskMs: maxConversionMs,
    onFault: (error) => logger.warn({ err: error }, 'a thread for audio and video ended'),
  });
  return { renderer, remuxPool };
}

/** The threads of a worker. */
export type ThreadPools = ReturnType<typeof createThreadPools>;

/** Creates the processes that convert documents, each in a sandbox. */
export const createDocumentProcesses = (
  config: Omit<Parameters<typeof createDocumentConverter>[0], 'processes' | 'storesCompiledCode' | 'logger'>,
  logger: Logger,
) =>
  createDocumentConverter({
    ...config,
    processes: fitInMemory(availableParallelism(), CONVERSION_SIZE),
    storesCompiledCode: true,
    logger,
  });
