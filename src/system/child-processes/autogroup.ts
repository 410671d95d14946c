import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../errors.ts';

/** Linux lets users other than root change the priority of one autogroup in a tenth of a second. */
const RETRY_MS = 150;
const MAX_TRIES = 40;

/**
 * Sets the share of the processors of a process group that was started with a session of its own (setsid).
 * Linux gives every such autogroup the same share, however many processes it has, and the niceness of a
 * process counts only within it (sched(7)). Where processes are in control groups of the processor, as in
 * containers, there are no autogroups, and this has no effect.
 * @param niceness 0, the usual, to 19; each step is a fifth less
 */
export async function setAutogroupNiceness(pid: number, niceness: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(niceness));
    } catch (error) {
      // The process has ended, or the kernel has no autogroups.
      if (codeOf(error) !== 'EAGAIN') return;
    }
    await sleep(RETRY_MS, undefined, { ref: false });
  }
}
