import { spawn } from 'node:child_process';
import { inheritedEnvironment } from '../config.ts';

/** A program that nobody gave a time ends after an hour. */
const LONGEST_MS = 3_600_000;

/** A directory of the PATH that may not be entered ends the search with EACCES. */
const ABSENT = new Set(['ENOENT', 'EACCES', 'ENOTDIR']);

/** How a program ended, and what it said. */
export interface CommandResult {
  /** `undefined` when there is no such program. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

/** What a program is run with. */
export interface CommandOptions {
  /** Put into the environment. */
  settings?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** The user and group to run as; only root may choose. */
  user?: { uid: number; gid: number } | undefined;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Hears every line of stdout and stderr as it comes. */
  onLine?(line: string): void;
}

/** Runs a program to its end; a failing one is a result, not an exception. */
export function runCommand(
  program: string,
  args: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: inheritedEnvironment({ LC_ALL: 'C', ...options.settings }),
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: options.signal,
      ...options.user,
    });
    // Node's own timeout would hold the process up when there is no such program.
    const late = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? LONGEST_MS).unref();
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      let rest = '';
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
        if (!options.onLine) return;
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(options.onLine);
      });
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      if (!ABSENT.has(error.code ?? '')) return reject(error);
      resolve({ exitCode: undefined, stdout: '', stderr: error.message });
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ exitCode: code ?? 128, stdout: said.stdout, stderr: said.stderr || (signal ?? '') });
    });
    // A program that ends without reading its input is told by its exit code.
    child.stdin.on('error', (error) => options.onLine?.(error.message));
    child.stdin.end(options.input ?? '');
  });
}

/** The last lines of what a program said, for a message about its failure. */
export function lastWords({ stdout, stderr }: CommandResult, count = 5): string {
  return (stderr.trim() || stdout.trim()).split('\n').slice(-count).join('\n');
}
