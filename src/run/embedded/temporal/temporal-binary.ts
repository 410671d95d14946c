import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ServiceError } from '../../../errors.ts';
import { lastOutputLines, runCommand } from '../command.ts';
import type { Progress, ProgressStep } from '../terminal-progress.ts';
import { downloadTemporal, officialArchive, TEMPORAL_CLI_VERSION } from './temporal-download.ts';

/** Servers of this minor version share one format of the database file. */
const SERVER_MINOR_VERSION = '1.31';
const GO_MODULE_DIR = join(import.meta.dirname, 'go');
const GO_PROGRAMS = ['go', '/usr/local/go/bin/go'];

/** The Temporal CLI on this machine and how it got there. */
export interface TemporalBinary {
  path: string;
  source: 'path' | 'cache' | 'download' | 'build';
}

/** Parses the output of `temporal --version`; `undefined` when the format is unknown. */
export function parseTemporalVersion(text: string): { cli: string; server: string } | undefined {
  const [, cli, server] = /^temporal version (\S+) \(Server (\d+\.\d+\.\d+)/m.exec(text) ?? [];
  return cli && server ? { cli, server } : undefined;
}

/** Whether a server version can read our database file: every minor version has its own format. */
export function isServerCompatible(server: string): boolean {
  return server.startsWith(`${SERVER_MINOR_VERSION}.`);
}

/** Finds a usable binary on the PATH, else in the cache. Nothing is downloaded. */
export async function findTemporalBinary(cacheDir: string): Promise<TemporalBinary | undefined> {
  const onPath = await readVersion('temporal');
  if (onPath && isServerCompatible(onPath.server)) return { path: 'temporal', source: 'path' };
  const cached = cachedBinaryPath(cacheDir);
  return existsSync(cached) ? { path: cached, source: 'cache' } : undefined;
}

/**
 * Finds the binary, and downloads or builds it when it is missing.
 * @throws ServiceError `SERVICE_UNAVAILABLE` whose message lists every attempt and why it failed
 */
export async function ensureTemporalBinary(
  cacheDir: string,
  progress: Progress,
  signal?: AbortSignal,
): Promise<TemporalBinary> {
  const found = await findTemporalBinary(cacheDir);
  if (found) return found;
  mkdirSync(cacheDir, { recursive: true });
  const path = cachedBinaryPath(cacheDir);
  const failures: string[] = [];
  const ways = {
    download: (draft: string, step: ProgressStep) => downloadTemporal(officialArchive(), draft, step, signal),
    build: (draft: string, step: ProgressStep) => buildTemporal(draft, step, signal),
  };
  const names = {
    download: 'Downloading Temporal',
    build: 'Building Temporal with Go (once, takes a few minutes)',
  };
  for (const source of ['download', 'build'] as const) {
    const draft = `${path}.${process.pid}.${source}`;
    try {
      await progress.step(names[source], (step) => ways[source](draft, step));
      await verifyVersion(draft, source);
      await rename(draft, path);
      return { path, source };
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(`  ${source}: ${messageOf(error)}`);
    } finally {
      rmSync(draft, { force: true });
    }
  }
  throw new ServiceError('SERVICE_UNAVAILABLE', explain(path, failures));
}

const cachedBinaryPath = (cacheDir: string) => join(cacheDir, `temporal-${TEMPORAL_CLI_VERSION}`);

async function readVersion(program: string) {
  return parseTemporalVersion((await runCommand(program, ['--version'], { timeoutMs: 10_000 })).stdout);
}

async function verifyVersion(draft: string, source: 'download' | 'build'): Promise<void> {
  const version = await readVersion(draft);
  // A binary built here reports no CLI version of its own, only the version of the server inside.
  const right =
    version &&
    (source === 'download' ? version.cli === TEMPORAL_CLI_VERSION : isServerCompatible(version.server));
  if (!right)
    throw new Error(
      `the result is not Temporal ${TEMPORAL_CLI_VERSION} but ${version?.cli ?? 'does not run'}`,
    );
}

/** `go/go.sum` pins the hash of every module. */
async function buildTemporal(draft: string, step: ProgressStep, signal?: AbortSignal): Promise<void> {
  let packages = 0;
  let downloads = 0;
  const onLine = (line: string) => {
    if (line.startsWith('go: downloading')) downloads++;
    else if (/^[\w.-]+(\/|$)/.test(line)) packages++;
    step.detail(packages ? `${packages} packages built` : `${downloads} modules downloaded`);
  };
  const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', draft];
  for (const go of GO_PROGRAMS) {
    const result = await runCommand(go, [...args, 'github.com/temporalio/cli/cmd/temporal'], {
      cwd: GO_MODULE_DIR,
      // The user's own Go settings must not apply; without cgo no C compiler is needed.
      settings: { GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' },
      signal,
      onLine,
    });
    if (result.exitCode === undefined) continue;
    if (result.exitCode !== 0) throw new Error(`go build failed:\n${lastOutputLines(result)}`);
    return;
  }
  throw new Error('Go is not installed on this machine');
}

function explain(path: string, failures: string[]): string {
  return [
    `Temporal is not installed, and getting it failed:\n${failures.join('\n')}`,
    'To fix it, do one of the following:',
    '  set TEMPORAL_ADDRESS to a running Temporal server',
    `  put a temporal binary whose server is ${SERVER_MINOR_VERSION}.x (CLI ${TEMPORAL_CLI_VERSION}) on the PATH`,
    `  put that binary at ${path}`,
    '  allow access to https://temporal.download',
    '  install Go 1.26 or newer (Go 1.21 or newer downloads it) and allow access to a Go module proxy',
  ].join('\n');
}
