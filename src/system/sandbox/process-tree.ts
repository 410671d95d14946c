import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../../errors.ts';

/** The resources that a process and its descendants use. */
export interface TreeUsage {
  processes: number;
  /** The ids of these processes. */
  pids: number[];
  residentBytes: number;
  /**
   * Memory that they have written, also where it is in the swap space. Mapped files, such as their programs,
   * do not count; memory that processes share counts for each.
   */
  writtenBytes: number;
  /** Processor time of those that run now, in milliseconds. */
  processorMs: number;
}

/** The fields of `/proc/<pid>/status` of memory that is not that of a mapped file. */
const WRITTEN = ['RssAnon', 'RssShmem', 'VmSwap'];
/**
 * The fields of `/proc/<pid>/stat` with the time in the program and in the kernel, counted from the one after
 * the name.
 */
const PROCESSOR_TIMES = [11, 12];
/** The unit of these times in milliseconds, which is the same for all programs on Linux. */
const TICK_MS = 10;
/** Processes that are counted at most, so that a fork bomb costs us little. */
const MAX_COUNTED = 256;

/**
 * Measures a process and its descendants. What cannot be read counts as nothing: where there is no `/proc`, and
 * while our own process has no file descriptor left, which is no fault of the process that is measured.
 */
export function measureTree(pid: number): TreeUsage {
  const usage: TreeUsage = { processes: 0, pids: [], residentBytes: 0, writtenBytes: 0, processorMs: 0 };
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const status = readIfReadable(`/proc/${next}/status`);
    usage.residentBytes += bytesIn(status, 'VmRSS');
    for (const field of WRITTEN) usage.writtenBytes += bytesIn(status, field);
    usage.processorMs += processorMsOf(next);
    usage.processes++;
    usage.pids.push(next);
    if (usage.processes >= MAX_COUNTED) break;
    for (const child of childrenOf(next)) waiting.push(child);
  }
  return usage;
}

/** The children of a process. The kernel lists each under the thread that started it. */
function childrenOf(pid: number): number[] {
  const threads = unlessUnreadable(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) =>
    readIfReadable(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function processorMsOf(pid: number): number {
  const stat = readIfReadable(`/proc/${pid}/stat`);
  // The name before the last parenthesis may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return PROCESSOR_TIMES.reduce((sum, index) => sum + Number(fields[index] ?? 0) * TICK_MS, 0);
}

/** The value of a field of `/proc/<pid>/status`, which is in kB. A process that has ended has none. */
const bytesIn = (status: string, field: string) =>
  Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;

const readIfReadable = (file: string) => unlessUnreadable(() => readFileSync(file, 'utf8')) ?? '';

/** The codes of errors that say nothing about the process: it has ended, or we have no file descriptor left. */
const UNREADABLE = new Set(['ENOENT', 'ESRCH', 'EMFILE', 'ENFILE']);

/** @returns `undefined` if it cannot be read */
function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (UNREADABLE.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
