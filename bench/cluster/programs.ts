import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type CommandResult, lastOutputLines, runCommand } from '../../src/run/embedded/command.ts';
import type { Progress, ProgressStep } from '../../src/run/embedded/terminal-progress.ts';

/** The Go module that pins the Temporal server and the checksums of all its sources. */
const MODULE = join(import.meta.dirname, 'temporal');
const PACKAGES = {
  'temporal-server': 'go.temporal.io/server/cmd/server',
  'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
};
const GO_PROGRAMS = ['go', '/usr/local/go/bin/go'];
/** Overrides the user's own Go settings. Without cgo, no C compiler is needed. */
const GO_SETTINGS = { GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };

/** The programs and files from the images of the Temporal server and its tools. */
export interface ServerPrograms {
  /** Directory with `temporal-server` and `temporal-sql-tool`. */
  directory: string;
  /** Directory that is `/etc/temporal/schema` in the image. */
  schema: string;
}

/**
 * Returns the Temporal server for this machine, built with Go if the cache does not have it.
 * @throws Error if Go is missing, the build fails, or the built version is not the expected one
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
    // The SQL schema is in the same Go module as the code.
    const module = await go(['list', '-m', '-f', '{{.Dir}}', 'go.temporal.io/server'], options);
    await cp(join(module.stdout.trim(), 'schema'), join(draft, 'schema'), { recursive: true });
    await rename(draft, directory);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return programs;
}

/**
 * Links the tools under the names that they have in the image of Temporal's tools.
 * @returns the PATH to them
 */
export function linkPrograms(dataDir: string, { directory }: ServerPrograms, cli: string): string {
  const own = join(dataDir, 'programs');
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  // A CLI that was found on the PATH already has this name.
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
      signal,
      cwd: MODULE,
      settings: GO_SETTINGS,
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
