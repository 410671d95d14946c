import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../errors.ts';
import { identityOf, isRunning, type ProcessId } from './process-identity.ts';

const GRACE_MS = 4000;
const POLL_MS = 20;

/** Stop signals other than SIGTERM, by process name: Postgres would wait for its clients on SIGTERM. */
const STOP_SIGNALS: Record<string, NodeJS.Signals> = { postgres: 'SIGINT' };

/** Identifies a process without its pid: by its program and an argument that no other instance passes. */
export interface ProcessSignature {
  program: string;
  /** An absolute path below the data directory. */
  argument: string;
}

/**
 * Stops the processes that a killed supervisor left running: those in its run file, and those whose signature
 * matches (a process started at the moment of the kill is not in the file). The caller must hold the lock of
 * the data directory.
 * @returns the names of the stopped processes
 */
export async function stopOrphans(
  previousChildren: Record<string, ProcessId>,
  signatures: Record<string, ProcessSignature>,
): Promise<string[]> {
  const found = Object.entries(previousChildren).filter(([, child]) => isRunning(child));
  for (const [name, signature] of Object.entries(signatures)) {
    for (const child of findBySignature(signature)) {
      if (!found.some(([, { pid }]) => pid === child.pid)) found.push([name, child]);
    }
  }
  await Promise.all(
    found.map(([name, child]) => stopProcess(child, STOP_SIGNALS[name] ?? 'SIGTERM', GRACE_MS)),
  );
  return [...new Set(found.map(([name]) => name))];
}

/** Sends a process the stop signal, and kills its process group when it is still running after `graceMs`. */
export async function stopProcess(child: ProcessId, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!isRunning(child)) return;
  sendSignal(child.pid, signal);
  if (await waitForExit(child, graceMs)) return;
  // A supervised process leads its own process group; any other process is killed alone.
  if (!sendSignal(-child.pid, 'SIGKILL')) sendSignal(child.pid, 'SIGKILL');
  await waitForExit(child, GRACE_MS);
}

/** Sends a signal. @returns false when the process does not exist */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

async function waitForExit(child: ProcessId, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isRunning(child)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function findBySignature({ program, argument }: ProcessSignature): ProcessId[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument)) return [];
      if (!basename(readlinkSync(`/proc/${pid}/exe`)).startsWith(program)) return [];
    } catch {
      return []; // The process has ended, or belongs to another user.
    }
    const identity = identityOf(pid);
    return identity ? [{ pid, identity }] : [];
  });
}
