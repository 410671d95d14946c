import { readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** The resources that a process and its descendants use. */
export interface TreeUsage {
  processes: number;
  residentBytes: number;
}

/** Size of a page of memory on x86-64 and on most arm64 systems. */
const PAGE_BYTES = 4096;
/** Processes that are counted at most, so that a fork bomb costs us little. */
const MAX_COUNTED = 256;

/** Measures a process and its descendants; nothing is used where there is no `/proc`. */
export function measureTree(pid: number): TreeUsage {
  const usage = { processes: 0, residentBytes: 0 };
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [, pages = 0] = numbersIn(`/proc/${next}/statm`);
    usage.residentBytes += pages * PAGE_BYTES;
    usage.processes++;
    if (usage.processes >= MAX_COUNTED) break;
    waiting.push(...numbersIn(`/proc/${next}/task/${next}/children`));
  }
  return usage;
}

function numbersIn(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch (error) {
    // The process has ended, or the system is not Linux.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return [];
    throw error;
  }
}
