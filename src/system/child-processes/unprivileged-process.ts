import type { StdioOptions } from 'node:child_process';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

/** The PATH of programs that are not ours. */
export const PROGRAM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Arguments of `setpriv` that make a program of root one of a user without privileges. */
export const dropPrivilegesArgs = (uid: number): string[] => [
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--inh-caps=-all',
];

/**
 * Starts a program in its own process group, with its own home directory and environment. It is killed when
 * our process exits.
 * @param options.uid the user to run as when the service runs as root, whose privileges are dropped first
 * @param options.home path of a directory from `createProgramHome`
 * @param options.env variables in addition to HOME, TMPDIR and PATH
 */
export function startUnprivileged(
  command: [string, ...string[]],
  { uid, home, env, stdio }: { uid: number; home: string; env?: Record<string, string>; stdio: StdioOptions },
): ProcessGroup {
  const isRoot = process.getuid?.() === 0;
  return startProcessGroup(isRoot ? ['setpriv', ...dropPrivilegesArgs(uid), ...command] : command, {
    cwd: home,
    env: { PATH: PROGRAM_PATH, HOME: home, TMPDIR: home, ...env },
    stdio,
  });
}
