import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, ServiceError } from '../../../errors.ts';
import { availableMemory } from '../../../system/memory.ts';
import type { Frame } from '../../../system/sandbox/frames.ts';
import { NODE_RESERVED_MB } from '../../../system/sandbox/limits.ts';
import { packageDirectories } from '../../../system/sandbox/package-directories.ts';
import { openSandbox, type Sandbox } from '../../../system/sandbox/sandbox.ts';
import {
  logSandboxFailure,
  SandboxError,
  type SandboxLogger,
} from '../../../system/sandbox/sandbox-error.ts';
import type { SandboxedProgram } from '../../../system/sandbox/sandboxed-program.ts';
import type { ConversionOptions, ConvertDocument, DocumentTask } from '../document.ts';
import type { DocumentFault } from '../document-error.ts';
import { storeCompiledParsers } from './compiled-parsers.ts';
import { readConversionResult, readProgress } from './conversion-result.ts';
import type { ConverterSettings } from './converter.ts';
import { findLanguageData } from './language-data.ts';

/** Converts documents in the sandbox. */
export interface DocumentConverter {
  /** How many documents are converted at this moment, and how many wait. */
  usage(): { running: number; waiting: number };
  convert: ConvertDocument;
  /** Ends all sandboxed processes. */
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../../..');
/** The sources that the sandboxed processes may read. */
const SOURCES = [
  ...[
    'package.json',
    'src/content/parsers',
    'src/content/html/parse',
    'src/content/html/nodes.ts',
    'src/content/html/text.ts',
    'src/content/pictures/png-rows.ts',
    'src/content/source-text.ts',
  ],
  ...[
    'src/errors.ts',
    'src/json/json-object.ts',
    'src/system/sandbox/task-loop.ts',
    'src/system/sandbox/frames.ts',
  ],
].map((path) => join(ROOT, path));
/** The packages that those import. The processes may read these and what they depend on. */
const PACKAGES = [
  ...['@e965/xlsx', '@firecrawl/anydoc', '@kenjiuno/msgreader', '@llamaindex/liteparse', 'dom-serializer'],
  ...[
    'domhandler',
    'domutils',
    'encoding-sniffer',
    'htmlparser2',
    'iconv-lite',
    'mammoth',
    'parse5',
    'parse5-htmlparser2-tree-adapter',
  ],
  ...['pdf-parse', 'postal-mime'],
];
const ENTRY = join(import.meta.dirname, 'conversion-process.ts');

/** Limits of a document. Most take less than 200 MB. */
const LIMITS = {
  memoryMb: 1024,
  reservedMb: NODE_RESERVED_MB,
  cpuSeconds: 3600,
  processes: 64,
  openFiles: 256,
  temporaryMb: 64,
  fileMb: 64,
};
/** Limit of V8's heap, which is a part of the memory: it fails with a message instead of being killed. */
const HEAP_MB = 768;
/**
 * Settings of V8's garbage collector. The young generation has its whole size, in MiB, from the beginning: a
 * collection copies the objects that are in use, and a small one is collected while most of a document's are.
 * Collections are made without helper threads, with which they take more CPU time; these would only shorten
 * the pauses.
 */
const GARBAGE_COLLECTOR = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--single-threaded-gc'];
/**
 * Settings of the allocators. By default, that of glibc keeps freed memory for each thread, so that a process
 * grew by 20 MB with each page whose text was recognised. mimalloc, that of PDFium, reserves 1 GiB, which the
 * limit of memory denies, so that it asks the kernel for each page; and it returns memory 10 ms after a
 * document, which the next one needs again. Both cost a tenth of the CPU time.
 */
const ALLOCATOR_ENV = {
  MALLOC_ARENA_MAX: '1',
  MIMALLOC_ARENA_RESERVE: String(64 * 1024),
  MIMALLOC_PURGE_DELAY: '1000',
};
/** Free memory in bytes with which another document is converted besides those that are being converted. */
const ROOM_BYTES = 400 * 1024 * 1024;
/** The most bytes of a converted document, its images included. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;

/**
 * The program that converts documents in the sandbox.
 * @param compiled directory of V8's compiled code, if it was stored
 */
export const conversionProgram = (context: ConverterSettings, compiled?: string): SandboxedProgram => ({
  command: [
    realpathSync(process.execPath),
    `--max-old-space-size=${HEAP_MB}`,
    ...GARBAGE_COLLECTOR,
    ENTRY,
    JSON.stringify(context),
  ],
  readOnlyPaths: [
    ...SOURCES,
    ...packageDirectories(PACKAGES, import.meta.dirname),
    ...(context.ocr ? [context.ocr.languageData] : []),
  ],
  cachePaths: compiled === undefined ? [] : [compiled],
  systemCallFilter: 'where-possible',
  env: { ...ALLOCATOR_ENV, ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }) },
  limits: LIMITS,
});

/**
 * Creates the converter of documents, with its sandbox.
 * @param options.ocrData directory of language data for OCR; that of English by default
 * @param options.processes maximum number of documents that are converted at once
 * @param options.storesCompiledCode whether V8's compiled code of the parsers is stored in the cache
 * directory, once on a
 *   machine. Processes then start in a third of the time.
 */
export async function createDocumentConverter(options: {
  cacheDir: string;
  ocrData?: string | undefined;
  processes: number;
  storesCompiledCode?: boolean;
  logger: SandboxLogger;
}): Promise<DocumentConverter> {
  const { cacheDir, ocrData, processes, storesCompiledCode, logger } = options;
  const ocr = await findLanguageData(ocrData, cacheDir);
  const sandbox = await openSandbox({
    program: conversionProgram({ ocr }),
    processes,
    hasRoom: () => availableMemory() > ROOM_BYTES,
    logger,
  });
  // The first processes start without it.
  if (storesCompiledCode) void useCompiledCode(sandbox, { ocr, cacheDir, logger });
  return {
    usage: () => sandbox.usage,
    async convert(task, bytes, options) {
      const result = await run(sandbox, { header: task, parts: [bytes] }, options).catch((error: unknown) => {
        throw toConversionError(error, task, logger);
      });
      if ('document' in result) return result.document;
      throw new ServiceError(CODES[result.failure.fault], result.failure.message);
    },
    close: () => sandbox.close(),
  };
}

/**
 * Lets the processes of the sandbox start with V8's compiled code. Without it they only start slower, so this
 * never throws.
 */
async function useCompiledCode(
  sandbox: Sandbox,
  { ocr, cacheDir, logger }: ConverterSettings & { cacheDir: string; logger: SandboxLogger },
): Promise<void> {
  const { confinement } = sandbox;
  if (confinement === 'user-only') return;
  try {
    const directory = await storeCompiledParsers(conversionProgram({}), { confinement, cacheDir });
    sandbox.useProgram(conversionProgram({ ...(ocr && { ocr }) }, directory));
  } catch (error) {
    logger.warn({ reason: String(error) }, 'the parsers of documents start slower: V8 cannot store them');
  }
}

async function run(
  sandbox: Sandbox,
  task: Frame,
  { signal, owner, tenant = owner, onProgress }: ConversionOptions,
) {
  const { header, parts } = await sandbox.run(task, {
    signal,
    owner,
    tenant,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    onProgress: (report) => onProgress?.(readProgress(report) ?? { pagesDone: 0 }),
  });
  return readConversionResult(header, parts);
}

const CODES: Record<DocumentFault, ErrorCode> = {
  password: 'SCRAPE_DOCUMENT_ENCRYPTED',
  damaged: 'SCRAPE_DOCUMENT_UNREADABLE',
  'too-large': 'SCRAPE_DOCUMENT_UNREADABLE',
  unsupported: 'SCRAPE_DOCUMENT_UNREADABLE',
  unavailable: 'SCRAPE_UNSUPPORTED_FILE_ERROR',
  'needs-ocr': 'SCRAPE_PDF_OCR_REQUIRED',
};

/** The sentence for the user about each fault of the sandbox. */
const FAULTS: Record<SandboxError['fault'], string> = {
  died: 'its parser crashed or exceeded its memory on this document, twice',
  'memory-short': 'its parser was ended, because the machine has too little memory',
  memory: `its parser needs more than ${LIMITS.memoryMb} MiB of memory for this document`,
  processes: 'its parser started too many processes',
  output: `its content is invalid or larger than ${MAX_OUTPUT_BYTES / 1024 / 1024} MiB`,
  threw: 'its parser failed on this document',
};

/** Turns an error of the sandbox into one for the user, and logs its details. */
function toConversionError(error: unknown, { type }: DocumentTask, logger: SandboxLogger): unknown {
  if (!(error instanceof SandboxError)) return error;
  logSandboxFailure(logger, error, `a ${type} file could not be converted`);
  if (error.fault === 'memory-short')
    return new ServiceError(
      'INSUFFICIENT_MEMORY',
      `The ${type} file could not be converted: the service ran out of memory, also while it converted no other file. Try again when it has less to do, or only the first pages of the file.`,
    );
  const message = `The ${type} file cannot be read: ${FAULTS[error.fault]}.`;
  return new ServiceError('SCRAPE_DOCUMENT_UNREADABLE', message);
}
