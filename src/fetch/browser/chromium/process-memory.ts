import { readFile } from 'node:fs/promises';
import type { CdpConnection } from './cdp.ts';

/**
 * Measures the memory that the processes of a browser have for themselves, in MiB: neither the program, of
 * which each process maps the same 70 MB, nor other files. Memory that they share with each other is counted
 * once for each process. Returns 0 on systems without /proc, and when the browser has just ended.
 */
export async function measureMemoryMb({ browser }: CdpConnection): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const kilobytes = await Promise.all(
    // The system has no /proc, or the process has ended.
    processInfo.map(async ({ id }) => ownKbOf(await readFile(`/proc/${id}/status`, 'utf8').catch(() => ''))),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/**
 * The memory that a process has for itself, in KiB. Systems such as gVisor tell only the sum of it and the
 * files, which is returned instead.
 * @param status the file `/proc/PID/status`, see proc_pid_status(5); 0 is returned for an empty one
 */
export function ownKbOf(status: string): number {
  const kilobytesOf = (name: string) => new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  const anonymous = kilobytesOf('RssAnon');
  if (anonymous === undefined) return Number(kilobytesOf('VmRSS') ?? 0);
  return Number(anonymous) + Number(kilobytesOf('RssShmem') ?? 0);
}
