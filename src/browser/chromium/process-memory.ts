import { readFile } from 'node:fs/promises';
import type { CdpConnection } from './cdp.ts';

/**
 * Measures the memory that the processes of a browser have for themselves, in MiB: neither the program, of which each process maps
 * the same 70 MB, nor other files. Memory that they share with each other is counted once for each process.
 * Returns 0 on systems without /proc, and when the browser has just ended.
 */
export async function measureMemoryMb({ browser }: CdpConnection): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const kilobytes = await Promise.all(processInfo.map(({ id }) => readOwnKb(id)));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function readOwnKb(pid: number): Promise<number> {
  // The system has no /proc, or the process has ended.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  // See proc_pid_status(5); `VmRSS` is the sum of these two and `RssFile`.
  return status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm).reduce((sum, [, kb]) => sum + Number(kb), 0);
}
