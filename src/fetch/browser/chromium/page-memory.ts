import { kill } from 'node:process';
import { codeOf } from '../../../errors.ts';
import { memoryLimit } from '../../../system/memory.ts';
import { type BrowserProcess, readOwnMb } from './process-memory.ts';

const MEGABYTE = 1024 * 1024;
/** The part of the machine's memory that one page may take, and the most of it in MiB. */
const PAGE_SHARE = 1 / 4;
const MAX_PAGE_MB = 2_048;
/** The part that all pages of a browser may take together. */
const PAGES_SHARE = 1 / 2;

/** How long it may take until the end of a process is heard of. */
const HEARD_MS = 5_000;

/** The most memory that pages may take, in MiB. */
export interface PageMemoryLimits {
  /** One process of a page, which has all its scripts and workers; frames of other sites have their own. */
  pageMb: number;
  /** The processes of all pages of a browser together. */
  pagesMb: number;
  /** The process that all pages of a browser share, in which they store blobs and databases. */
  browserMb: number;
}

/**
 * The limits of a machine.
 * @param pageMb what the operator has set for one page; by default it follows from the memory
 */
export function pageMemoryLimits(pageMb?: number, totalBytes = memoryLimit()): PageMemoryLimits {
  const totalMb = Math.floor(totalBytes / MEGABYTE);
  const ofPage = pageMb ?? Math.min(MAX_PAGE_MB, Math.floor(totalMb * PAGE_SHARE));
  return {
    pageMb: ofPage,
    pagesMb: Math.max(ofPage, Math.floor(totalMb * PAGES_SHARE)),
    browserMb: ofPage,
  };
}

/** The memory of the processes of a browser, in MiB. */
export interface MeasuredMemory {
  totalMb: number;
  /** Whether the process that all pages share takes more than it may. */
  isBrowserFull: boolean;
}

/** How a process is measured and ended; replaced in tests. */
interface ProcessControl {
  measureMb(pid: number): Promise<number>;
  end(pid: number): void;
}

const CONTROL: ProcessControl = { measureMb: readOwnMb, end: endProcess };

/**
 * Ends processes of pages that take more memory than they may: a script can allocate without an end, in more
 * ways than Chromium bounds, until the kernel ends whichever process it likes. Only the page of that process
 * fails.
 */
export class PageMemory {
  readonly #limits: PageMemoryLimits;
  readonly #control: ProcessControl;
  #processes: readonly BrowserProcess[] = [];
  #lastEndAt = Number.NEGATIVE_INFINITY;
  /** Those that were ended and whose memory may not be free yet. */
  #ended = new Set<number>();

  constructor(limits: PageMemoryLimits, control = CONTROL) {
    this.#limits = limits;
    this.#control = control;
  }

  /** Whether a page was ended so lately that its visit is about to hear of it. */
  hasJustEndedPage(): boolean {
    return performance.now() - this.#lastEndAt < HEARD_MS;
  }

  /** Takes note of the processes that a browser has now, of which those of pages have the type `renderer`. */
  note(processes: readonly BrowserProcess[]): void {
    this.#processes = processes;
    this.#ended = new Set(processes.map(({ id }) => id).filter((id) => this.#ended.has(id)));
  }

  /** Measures these processes and ends those of pages that take too much. */
  async check(): Promise<MeasuredMemory> {
    const measured = await Promise.all(
      this.#processes
        .filter(({ id }) => !this.#ended.has(id))
        .map(async ({ id, type }) => ({ id, type, mb: await this.#control.measureMb(id) })),
    );
    const { pageMb, pagesMb, browserMb } = this.#limits;
    const pages = measured.filter(({ type }) => type === 'renderer').sort((a, b) => b.mb - a.mb);
    let sum = pages.reduce((mb, page) => mb + page.mb, 0);
    for (const { id, mb } of pages) {
      if (mb <= pageMb && sum <= pagesMb) break;
      this.#ended.add(id);
      this.#lastEndAt = performance.now();
      this.#control.end(id);
      sum -= mb;
    }
    return {
      totalMb: measured.reduce((mb, each) => mb + each.mb, 0),
      isBrowserFull: measured.some(({ type, mb }) => type === 'browser' && mb > browserMb),
    };
  }
}

function endProcess(pid: number): void {
  try {
    kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
