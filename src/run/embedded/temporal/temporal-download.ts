import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../../errors.ts';
import { lastOutputLines, runCommand } from '../command.ts';
import type { ProgressStep } from '../terminal-progress.ts';

/** Without internet access the download must fail quickly, because building from source is tried next. */
const RESPONSE_TIMEOUT_MS = 5000;
const STALL_TIMEOUT_MS = 20_000;
const TOTAL_TIMEOUT_MS = 600_000;
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Downloads the official build into a file.
 * @throws Error whose message fits into a list of failed attempts
 */
export async function downloadTemporal(
  version: string,
  target: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<void> {
  const arch = ARCHITECTURES[process.arch];
  if (!arch || !['linux', 'darwin'].includes(process.platform)) {
    throw new Error(`there is no official build for ${process.platform} on ${process.arch}`);
  }
  const url = `https://temporal.download/cli/archive/v${version}?platform=${process.platform}&arch=${arch}`;
  const directory = `${target}.d`;
  mkdirSync(directory, { recursive: true });
  try {
    const archive = join(directory, 'archive.tar.gz');
    await downloadFile(url, archive, step, signal);
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', directory, 'temporal'], { signal });
    if (unpacked.exitCode !== 0) throw new Error(`tar could not unpack it: ${lastOutputLines(unpacked)}`);
    await chmod(join(directory, 'temporal'), 0o755);
    await rename(join(directory, 'temporal'), target);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function downloadFile(
  url: string,
  path: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  let timer = setTimeout(() => stop.abort(), RESPONSE_TIMEOUT_MS);
  const signals = [stop.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    if (!response.ok || !response.body)
      throw new Error(`the server responded with status ${response.status}`);
    const total = Number(response.headers.get('content-length'));
    let read = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), STALL_TIMEOUT_MS);
        read += chunk.length;
        step.detail(`${megabytes(read)}${total ? ` of ${megabytes(total)}` : ''} MB`);
        done(null, chunk);
      },
    });
    await pipeline(Readable.from(response.body), meter, createWriteStream(path));
  } catch (error) {
    const reason =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
    throw new Error(`${url}: ${stop.signal.aborted ? 'no response in time' : reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
