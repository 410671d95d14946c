import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { codeOf } from '../../errors.ts';

/** A third-party program and the processes that it started. */
export interface ProcessGroup {
  child: ChildProcess;
  /** Kills the program and all its children. */
  kill(): void;
  /** The end of its standard error, where that is a pipe, for messages about a failure. */
  stderrTail(): string;
}

/** How many characters of standard error are kept. */
const MAX_STDERR_CHARS = 4_000;

/** The groups that run, which are killed when our process exits. */
const running = new Set<() => void>();
process.once('exit', () => {
  for (const kill of running) kill();
});

/**
 * Starts a program in its own process group. It is killed when our process exits. Its other processes end
 * with it, because they may keep its pipes open; among them is the child of a bubblewrap that was killed
 * before it could bind the child to its life.
 * @throws Error if our process has too few file descriptors left for its pipes
 */
export function startProcessGroup(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, stdio }: { cwd: string; env: Record<string, string>; stdio: StdioOptions },
): ProcessGroup {
  const child = spawn(program, args, { cwd, env, stdio, detached: true });
  const kill = () => killProcessGroup(child);
  running.add(kill);
  child.once('exit', kill);
  child.once('close', () => running.delete(kill));
  // Any further error, such as that of a signal, is no reason to end our own process.
  child.on('error', () => running.delete(kill));
  // Node then leaves the child without any streams, against its types.
  if (!child.stdio) throw new Error(`${program} was not started: too few file descriptors are free`);
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
