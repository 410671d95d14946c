import { readdirSync, readFileSync } from 'node:fs';

/** The main processes of the Chromium instances that these processes have started, in no particular order. */
export function browsersBelow(workers: number[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isBrowserOf(pid, workers));
}

function isBrowserOf(pid: number, workers: number[]): boolean {
  try {
    const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    if (!workers.includes(parent)) return false;
    const [program = '', ...flags] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return /chrom/.test(program) && !flags.some((flag) => flag.startsWith('--type='));
  } catch {
    return false; // It has ended since it was listed.
  }
}
