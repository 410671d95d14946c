import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { codeOf } from './errors.ts';

/** A program that is not ours and runs without rights. */
export interface Program {
  child: ChildProcess;
  /** Ends it with all that it has started. */
  kill(): void;
  /** The end of what it has said to its standard error, where that is a pipe; programs name their trouble there. */
  lastWords(): string;
}

/** Of what a program says. Characters. */
const LAST_WORDS = 4_000;

/**
 * Starts a program in a group of its own, with a home and an environment of its own. It ends with our process at the
 * latest.
 * @param options.uid the user that it runs as when the service runs as root: it sheds root's rights first. Anybody else
 *   has none to shed.
 * @param options.home the path of one from `makeHome`
 * @param options.env besides its home and the usual path
 */
export function startProgram(
  command: [string, ...string[]],
  { uid, home, env, stdio }: { uid: number; home: string; env?: Record<string, string>; stdio: StdioOptions },
): Program {
  const rights = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
  const [program, ...args] =
    process.getuid?.() === 0 ? (['setpriv', ...rights, ...command] as const) : command;
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home, ...env },
    stdio,
    detached: true,
  });
  const kill = () => killGroup(child);
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  let words = '';
  child.stderr?.on('data', (chunk) => {
    words = (words + chunk).slice(-LAST_WORDS);
  });
  return { child, kill, lastWords: () => words.trim() };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
