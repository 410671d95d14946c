import { readFile } from 'node:fs/promises';
import type { CdpConnection } from './cdp.ts';

/**
 * Measures the resident memory of all processes of a browser, in MiB. Shared memory is counted once for each process.
 * Returns 0 on systems without /proc, and when the browser has just ended.
 */
export async function measureMemoryMb({ browser }: CdpConnection): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const bytes = await Promise.all(processInfo.map(({ id }) => readResidentKb(id)));
  return bytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function readResidentKb(pid: number): Promise<number> {
  // The system has no /proc, or the process has ended.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
