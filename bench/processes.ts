import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const MS_PER_TICK = 1000 / TICKS_PER_SECOND;

/** A process of the service, from `/proc`. */
interface Sample {
  pid: number;
  /** Its role in the service, such as `worker`. */
  role: string;
  cpuMs: number;
  pssMb: number;
}

function stat(pid: number): { parent: number; cpuMs: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    // Indexes count from the field after the name. In proc(5) these are fields 14 and 15 (utime, stime), and
    // 16 and 17 (the same of ended children).
    const cpu = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), cpuMs: cpu * MS_PER_TICK };
  } catch {
    return undefined;
  }
}

function pssMb(pid: number): number {
  try {
    return (
      Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
    );
  } catch {
    return 0;
  }
}

/**
 * CPU milliseconds of the threads that a process has at the moment. They are exact, where those of a sample
 * are counted in steps of ten, but those of ended threads and child processes are missing. 0 for a process
 * that has ended.
 */
export function threadCpuMs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return 0;
  }
}

/** The most resident memory that a process ever had. */
export function peakResidentMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Samples all processes below the given roots. Each has the role of its root; a root below another root keeps
 * its own role.
 */
export function sampleProcesses(roots: Record<string, number>): Sample[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const stats = new Map(pids.flatMap((pid) => (stat(pid) ? [[pid, stat(pid)!] as const] : [])));
  const roleOf = (pid: number): string | undefined => {
    for (let at = pid; at > 1; at = stats.get(at)?.parent ?? 0) {
      const role = Object.keys(roots).find((name) => roots[name] === at);
      if (role) return at !== pid && /chrom/.test(command(pid)) ? 'chromium' : role;
    }
    return undefined;
  };
  return pids.flatMap((pid) => {
    const role = roleOf(pid);
    const { cpuMs } = stats.get(pid) ?? { cpuMs: 0 };
    return role ? [{ pid, role, cpuMs, pssMb: pssMb(pid) }] : [];
  });
}

function command(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}

/** Sums one figure of the samples for each role. */
export function byRole(samples: Sample[], figure: 'cpuMs' | 'pssMb'): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const sample of samples) sums[sample.role] = (sums[sample.role] ?? 0) + sample[figure];
  return sums;
}
