import { vi } from 'vitest';
import { runCli } from '../../../src/cli.ts';

/** What a command has printed, and its exit code. */
export interface CommandOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** What a command listens to until its process ends. */
const LISTENED: readonly [NodeJS.EventEmitter, string][] = [
  ...['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal): [NodeJS.EventEmitter, string] => [process, signal]),
  [process.stdout, 'error'],
  [process.stderr, 'error'],
];

/** Remembers who listens. @returns a function that removes the listeners which have been added since */
function keepListeners(): () => void {
  const kept = LISTENED.map(([emitter, event]) => emitter.rawListeners(event));
  return () => {
    LISTENED.forEach(([emitter, event], index) => {
      const added = emitter.rawListeners(event).filter((listener) => !kept[index]?.includes(listener));
      // `rawListeners` returns the functions that were given to `on`.
      for (const listener of added) emitter.off(event, listener as () => void);
    });
  };
}

/**
 * Runs a command of the command line in this process, which takes a tenth of the processor time of a process
 * of its own. It is for tests of what commands do and print, one at a time; signals, terminals and pipes need
 * a real process.
 * @param args the arguments after `winnow`
 * @param options.settings environment variables beside those of this process
 * @param options.cwd the working directory, by default that of this process
 */
export async function runInProcess(
  args: string[],
  { settings = {}, cwd = process.cwd() }: { settings?: Record<string, string>; cwd?: string } = {},
): Promise<CommandOutput> {
  const output = { stdout: '', stderr: '' };
  const written = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += String(text);
      return true;
    }),
  );
  const removeListeners = keepListeners();
  const before = { env: process.env, exitCode: process.exitCode, cwd: process.cwd() };
  process.env = { ...process.env, ...settings };
  process.exitCode = undefined;
  process.chdir(cwd);
  try {
    return { exitCode: await runCli(args), ...output };
  } finally {
    process.env = before.env;
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    removeListeners();
    for (const spy of written) spy.mockRestore();
  }
}
