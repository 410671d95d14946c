import { readdirSync, readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { runFileOf } from './service.ts';

/** A process of this machine, as `/proc` shows it. */
export interface Process {
  pid: number;
  parent: number;
  command: string;
  /** A field of `/proc/<pid>/status`, e.g. `Uid`; empty when there is none. */
  status(field: string): string;
}

/** The Chromium processes that the worker of the shared service runs now. */
export const chromiumProcesses = (): Process[] =>
  workerProcesses().filter(({ command }) => /chrom/.test(command.split(' ')[0] ?? ''));

/** The sandboxed processes in which the worker of the shared service converts documents, without bubblewrap's own. */
export const documentProcesses = (): Process[] =>
  workerProcesses().filter(({ command }) => /^\S*node .*\/conversion-process\.ts /.test(command));

/** The processes of the worker whose command line names the directory of a browser session. */
export const sessionProcesses = (directory: string): Process[] =>
  workerProcesses().filter(({ command }) => command.includes(`/${directory}/`));

/** All processes of this machine whose command line contains a text. */
export const processesWith = (text: string): Process[] =>
  listProcesses().filter(({ command }) => command.includes(text));

/** All processes below the worker of the shared service. */
function workerProcesses(): Process[] {
  const run = runFileOf(inject('service'));
  const all = listProcesses();
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return below(run.children.worker!.pid);
}

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
