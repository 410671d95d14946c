import { type Process, processesBelow } from '../../support/processes/process-list.ts';

/**
 * What a worker runs for its sessions: processes of Chromium, and sandboxes with the programs of users' code.
 */
export type SessionVictim = 'chromium' | 'sandbox';

const isSandbox = ({ command }: Process) => /^(\S*\/)?bwrap /.test(command);
const isChromium = ({ command }: Process) => /^\S*chrom/.test(command);

/** The processes of this kind that these workers run for browser sessions. */
export function findVictims(kind: SessionVictim, workers: number[]): number[] {
  const roots = processesBelow(workers).filter(
    (process) => isSandbox(process) && process.command.includes('/winnow-session-'),
  );
  const inside = [...roots, ...processesBelow(roots.map(({ pid }) => pid))];
  const victims = inside.filter((process) => isChromium(process) === (kind === 'chromium'));
  return [...new Set(victims.map(({ pid }) => pid))];
}
