import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { codeOf } from '../../errors.ts';

/** Codes of a process that has ended, or that belongs to a user whose processes this one may not change. */
const UNCHANGED = new Set(['ESRCH', 'EPERM', 'EACCES']);

/**
 * Lets all threads of a process give way to those of others. On Linux, the niceness of a process is that of
 * its first thread, and threads that start later have that of the thread which starts them.
 * @param niceness 0, the usual, to 19; only root can lower it again
 */
export function setNicenessOfThreads(pid: number, niceness: number): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, niceness);
    } catch (error) {
      const code = error instanceof Error && 'info' in error ? codeOf(error.info) : undefined;
      if (!UNCHANGED.has(code ?? '')) throw error;
    }
  }
}

/** The threads of a process; on systems without /proc the process itself stands for all. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}
