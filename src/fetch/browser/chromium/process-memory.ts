import { readFile } from 'node:fs/promises';

/** A process of a browser, as Chromium tells it. */
export interface BrowserProcess {
  id: number;
  /** `renderer` for those of pages, `browser` for the one that all pages share. */
  type: string;
  /** The processor time that it has taken since its start, in seconds. */
  cpuTime: number;
}

/**
 * Measures the memory that a process has for itself, in MiB: neither the program, of which each process of a
 * browser maps the same 70 MB, nor other files. Memory that processes share is that of each of them.
 * @returns 0 on systems without /proc, and for a process that has just ended
 */
export async function readOwnMb(pid: number): Promise<number> {
  // The system has no /proc, or the process has ended.
  return ownKbOf(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')) / 1024;
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
