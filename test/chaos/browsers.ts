import { readdirSync, readFileSync } from 'node:fs';

/** The main processes of the Chromium instances that these processes have started, in no particular order. */
export function browsersBelow(workers: number[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isBrowserOf(pid, workers));
}

/** Whether a process is the first one of a Chromium. Between it and the worker is what gives it a network. */
function isBrowserOf(pid: number, workers: number[]): boolean {
  try {
    const [program = '', ...flags] = readCommand(pid);
    if (!/chrom/.test(program) || flags.some((flag) => flag.startsWith('--type='))) return false;
    const above = ancestorsOf(pid);
    return above.some((each) => workers.includes(each)) && !/chrom/.test(readCommand(above[0] ?? 1)[0] ?? '');
  } catch {
    return false; // It has ended since it was listed.
  }
}

const readCommand = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');

/** The parent of a process, its parent, and so on. */
function ancestorsOf(pid: number): number[] {
  const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return parent > 1 ? [parent, ...ancestorsOf(parent)] : [];
}
