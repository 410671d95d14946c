import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies one process even when its pid is reused: the start time differs. */
export interface ProcessId {
  pid: number;
  /** The start time as reported by the system; only for comparison. */
  identity: string;
}

/** Returns the start time of a process as text; `undefined` when it is not running (a zombie is not). */
export function identityOf(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

/** Returns the identity of this process. */
export function currentProcess(): ProcessId {
  return { pid: process.pid, identity: identityOf(process.pid) ?? '' };
}

/** Whether this process still runs, and not another one with the same pid. */
export function isRunning({ pid, identity }: ProcessId): boolean {
  return identityOf(pid) === identity;
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The command in parentheses may contain spaces and parentheses, so fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // The start time counts ticks since boot and could repeat after a reboot, so the boot id is part of it.
  return `${readOrNothing('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${fields[19]}`;
}

function psIdentity(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // The process has ended, or belongs to another user. Either way, it is not one of ours.
  }
}
