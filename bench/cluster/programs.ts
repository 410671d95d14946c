import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type CommandResult, lastOutputLines, runCommand } from '../../src/embedded/command.ts';
import type { Progress, ProgressStep } from '../../src/embedded/terminal-progress.ts';

/** Pins Temporal's server, and by its sums every source that goes in. */
const MODULE = join(import.meta.dirname, 'temporal');
const PACKAGES = {
  'temporal-server': 'go.temporal.io/server/cmd/server',
  'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
};
const GO_PROGRAMS = ['go', '/usr/local/go/bin/go'];
/** Settings of the user's own Go work must not reach in; without cgo no C compiler is needed. */
const GO_SETTINGS = { GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };

/** What the images of Temporal's server and its tools hold of interest. */
export interface ServerPrograms {
  /** With `temporal-server` and `temporal-sql-tool`. */
  directory: string;
  /** As `/etc/temporal/schema` in the image. */
  schema: string;
}

/**
 * Temporal's server as programs of this machine, built with Go when the cache does not have them.
 * @throws Error when there is no Go, or the build fails, or it makes another version
 */
export async function obtainServer(options: {
  version: string;
  cacheDir: string;
  progress: Progress;
  signal?: AbortSignal | undefined;
}): Promise<ServerPrograms> {
  const directory = join(options.cacheDir, `temporal-server-${options.version}`);
  const programs = { directory, schema: join(directory, 'schema') };
  if (existsSync(directory)) return programs;
  const draft = `${directory}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    await options.progress.step("Building Temporal's server with Go (once, some minutes)", (step) =>
      build(draft, step, options.signal),
    );
    const { stdout } = await runCommand(join(draft, 'temporal-server'), ['--version']);
    if (!stdout.includes(options.version)) {
      throw new Error(`${MODULE}/go.mod does not name Temporal ${options.version}: ${stdout.trim()}`);
    }
    // The tables' definitions lie in the module beside the code.
    const module = await go(['list', '-m', '-f', '{{.Dir}}', 'go.temporal.io/server'], options);
    await cp(join(module.stdout.trim(), 'schema'), join(draft, 'schema'), { recursive: true });
    await rename(draft, directory);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return programs;
}

/** @returns a PATH with `temporal-sql-tool` and `temporal`, as the image of Temporal's tools has them */
export function linkPrograms(dataDir: string, { directory }: ServerPrograms, cli: string): string {
  const own = join(dataDir, 'programs');
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  // One that was found on the PATH has its usual name already.
  if (isAbsolute(cli)) symlinkSync(cli, join(own, 'temporal'));
  return [own, directory, process.env.PATH].join(delimiter);
}

async function build(draft: string, step: ProgressStep, signal: AbortSignal | undefined): Promise<void> {
  let packages = 0;
  const onLine = (line: string) => {
    if (!line.startsWith('go: ')) packages++;
    step.detail(packages ? `${packages} packages built` : 'downloading modules');
  };
  for (const [program, path] of Object.entries(PACKAGES)) {
    const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags=-s -w'];
    await go([...args, '-o', join(draft, program), path], { signal, onLine });
  }
}

async function go(
  args: string[],
  { signal, onLine }: { signal?: AbortSignal | undefined; onLine?: (line: string) => void },
): Promise<CommandResult> {
  for (const program of GO_PROGRAMS) {
    const result = await runCommand(program, args, {
      ...{ signal, cwd: MODULE, settings: GO_SETTINGS },
      ...(onLine && { onLine }),
    });
    if (result.exitCode === undefined) continue;
    if (result.exitCode !== 0) throw new Error(`go ${args[0]} failed:\n${lastOutputLines(result)}`);
    return result;
  }
  throw new Error(
    'There is no Go on this machine; install Go 1.26 or newer (or 1.21 or newer, which fetches it).',
  );
}
