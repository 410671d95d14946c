import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine, as `/proc` shows it. */
export interface Process {
  pid: number;
  parent: number;
  command: string;
  /** A field of `/proc/<pid>/status`, e.g. `Uid`; empty when there is none. */
  status(field: string): string;
}

/** All processes below the given ones. */
export function processesBelow(pids: readonly number[]): Process[] {
  const all = listProcesses();
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return pids.flatMap(below);
}

/** All processes of this machine whose command line contains a text. */
export const processesWith = (text: string): Process[] =>
  listProcesses().filter(({ command }) => command.includes(text));

/**
 * The processes that have a directory mounted whose path contains a text; a sandbox mounts what it may use.
 */
export const processesThatMount = (text: string): Process[] =>
  listProcesses().filter(({ pid }) => readOr(`/proc/${pid}/mountinfo`).includes(text));

function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readProcess(Number(name))];
      } catch {
        return []; // Ended since it was listed.
      }
    });
}

function readProcess(pid: number): Process {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1] ?? '';
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return { pid, parent: Number(field('PPid')), command, status: field };
}

/** The text of a file; empty if the process that it belongs to has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
