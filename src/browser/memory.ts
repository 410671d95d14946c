import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/**
 * Resident memory of all processes of a browser, what they share counted for each of them, in MiB; 0 where the system
 * does not tell (it does on Linux) or the browser has just ended.
 */
export async function memoryOf(browser: Browser): Promise<number> {
  const pids = await processesOf(browser);
  const bytes = await Promise.all(pids.map(residentKb));
  return bytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function processesOf(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.map(({ id }) => id);
  } finally {
    await session.detach();
  }
}

async function residentKb(pid: number): Promise<number> {
  // Without /proc, or ended since: nothing.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
}
