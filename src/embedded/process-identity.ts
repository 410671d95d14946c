import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One process for good: a number that is used again later belongs to another start time. */
export interface ProcessId {
  pid: number;
  /** When the process started, as the system tells it; only good for comparing. */
  identity: string;
}

/** The start of a process as text; `undefined` when it does not run (a zombie does not). */
export function identityOf(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : askedIdentity(pid);
}

/** This very process. */
export function ownProcess(): ProcessId {
  return { pid: process.pid, identity: identityOf(process.pid) ?? '' };
}

/** Whether exactly that process still runs, not another one under its number. */
export function isRunning({ pid, identity }: ProcessId): boolean {
  return identityOf(pid) === identity;
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The command in parentheses may hold anything, spaces and parentheses too: fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // Ticks since boot alone could come again after a reboot.
  return `${readOrNothing('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${fields[19]}`;
}

function askedIdentity(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // The process is gone, or its entry is not ours to read: both mean that we do not know it.
  }
}
