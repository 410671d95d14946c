import { inject } from 'vitest';
import { codeOf } from '../../../src/errors.ts';
import { runFileOf } from '../service/start-service.ts';
import { type Process, processesBelow } from './process-list.ts';

/**
 * The processes of Chromium that the worker of the shared service runs now, without those of browser
 * sessions.
 */
export function chromiumProcesses(): Process[] {
  const isChromium = ({ command }: Process) => /chrom/.test(command.split(' ')[0] ?? '');
  const browsers = workerProcesses().filter(
    (process) => isChromium(process) && !/--type=|--user-data-dir=\/profile( |$)/.test(process.command),
  );
  return [...browsers, ...processesBelow(browsers.map(({ pid }) => pid)).filter(isChromium)];
}

/**
 * The sandboxed processes in which the worker of the shared service converts documents, without bubblewrap's
 * own.
 */
export const documentProcesses = (): Process[] =>
  workerProcesses().filter(({ command }) => /^\S*node .*\/conversion-process\.ts /.test(command));

/** The processes of the worker whose command line names the directory of a browser session. */
export const sessionProcesses = (directory: string): Process[] =>
  workerProcesses().filter(({ command }) => command.includes(`/${directory}/`));

/** All processes below the worker of the shared service. */
const workerProcesses = (): Process[] => processesBelow([runFileOf(inject('service')).children.worker!.pid]);

/** Sends a signal to processes, of which some may have ended since they were listed. */
export function sendSignal(processes: Process[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}
