import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { codeOf } from '../errors.ts';

/** A third-party program that runs without privileges. */
export interface UnprivilegedProcess {
  child: ChildProcess;
  /** Kills the program and all its children. */
  kill(): void;
  /** The end of its standard error, where that is a pipe, for messages about a failure. */
  stderrTail(): string;
}

/** How many characters of standard error are kept. */
const MAX_STDERR_CHARS = 4_000;

/**
 * Starts a program in its own process group, with its own home directory and environment. It is killed when our process
 * exits.
 * @param options.uid the user to run as when the service runs as root, whose privileges are dropped first
 * @param options.home path of a directory from `createProgramHome`
 * @param options.env variables in addition to HOME, TMPDIR and PATH
 */
export function startUnprivileged(
  command: [string, ...string[]],
  { uid, home, env, stdio }: { uid: number; home: string; env?: Record<string, string>; stdio: StdioOptions },
): UnprivilegedProcess {
  const privilegeArgs = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
  const [program, ...args] =
    process.getuid?.() === 0 ? (['setpriv', ...privilegeArgs, ...command] as const) : command;
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home, ...env },
    stdio,
    detached: true,
  });
  const kill = () => killProcessGroup(child);
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_CHARS);
  });
  return { child, kill, stderrTail: () => stderr.trim() };
}

function killProcessGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has already exited.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
