import { spawn } from 'node:child_process';
import { inheritedEnvironment } from '../../config.ts';

/** Time limit of a command without its own `timeoutMs`: one hour. */
const DEFAULT_TIMEOUT_MS = 3_600_000;

/** Codes that mean "no such program". An inaccessible directory on the PATH ends the search with EACCES. */
const NOT_FOUND_CODES = new Set(['ENOENT', 'EACCES', 'ENOTDIR']);

/** The exit code and the output of a command. */
export interface CommandResult {
  /** `undefined` when there is no such program. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

/** Options of {@link runCommand}. */
export interface CommandOptions {
  /** Variables added to the inherited environment. */
  settings?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** The user and group to run as; only root can set them. */
  user?: { uid: number; gid: number } | undefined;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Called with every line of stdout and stderr as it arrives. */
  onLine?(line: string): void;
}

/** Runs a program until it exits. A non-zero exit code is a result, not an exception. */
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
    // The timeout option of spawn would keep this process alive when the program does not exist.
    const killTimer = setTimeout(
      () => child.kill('SIGKILL'),
      options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ).unref();
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      let rest = '';
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        if (!options.onLine) return;
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(options.onLine);
      });
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(killTimer);
      if (!NOT_FOUND_CODES.has(error.code ?? '')) return reject(error);
      resolve({ exitCode: undefined, stdout: '', stderr: error.message });
    });
    child.once('close', (code, signal) => {
      clearTimeout(killTimer);
      resolve({ exitCode: code ?? 128, stdout: output.stdout, stderr: output.stderr || (signal ?? '') });
    });
    // A program may exit without reading its input; its exit code then tells whether it failed.
    child.stdin.on('error', (error) => options.onLine?.(error.message));
    child.stdin.end(options.input ?? '');
  });
}

/** The last lines of a command's output, for a message about its failure. */
export function lastOutputLines({ stdout, stderr }: CommandResult, count = 5): string {
  return (stderr.trim() || stdout.trim()).split('\n').slice(-count).join('\n');
}
