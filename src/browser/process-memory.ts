import { readFile } from 'node:fs/promises';
import type { CdpConnection } from './cdp.ts';

/**
 * Resident memory of all processes of a browser, what they share counted for each of them, in MiB; 0 where the system
 * does not tell (it does on Linux) or the browser has just ended.
 */
export async function measureMemoryMb({ browser }: CdpConnection): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const bytes = await Promise.all(processInfo.map(({ id }) => readResidentKb(id)));
  return bytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function readResidentKb(pid: number): Promise<number> {
  // Without /proc, or ended since: nothing.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
