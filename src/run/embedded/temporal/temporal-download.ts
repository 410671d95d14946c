import { createHash } from 'node:crypto';
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

/** The version of the Temporal CLI that is downloaded or built; `go/go.mod` pins the same version. */
export const TEMPORAL_CLI_VERSION = '1.8.2';
/** SHA-256 of the archives of this version, from the `checksums.txt` of its release. */
const ARCHIVE_HASHES: Record<string, string> = {
  'linux-amd64': 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94',
  'linux-arm64': '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4',
  'darwin-amd64': '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6',
  'darwin-arm64': 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94',
};

/** Where an archive is and what it must be; tests have their own. */
export interface TemporalArchive {
  url: string;
  /** SHA-256 in hexadecimal digits. */
  sha256: string;
}

/** The official archive for this machine. @throws Error if there is none */
export function officialArchive(): TemporalArchive {
  const arch = ARCHITECTURES[process.arch];
  const sha256 = ARCHIVE_HASHES[`${process.platform}-${arch}`];
  if (!sha256) throw new Error(`there is no official build for ${process.platform} on ${process.arch}`);
  const url = `https://temporal.download/cli/archive/v${TEMPORAL_CLI_VERSION}?platform=${process.platform}&arch=${arch}`;
  return { url, sha256 };
}

/**
 * Downloads the official build into a file. Nothing of an archive whose hash is not the expected one is
 * unpacked.
 * @throws Error whose message fits into a list of failed attempts
 */
export async function downloadTemporal(
  { url, sha256 }: TemporalArchive,
  target: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<void> {
  const directory = `${target}.d`;
  mkdirSync(directory, { recursive: true });
  try {
    const archive = join(directory, 'archive.tar.gz');
    const found = await downloadFile(url, archive, step, signal);
    if (found !== sha256)
      throw new Error(
        `${url}: the file was replaced or damaged, because its SHA-256 is ${found} and not ${sha256}`,
      );
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', directory, 'temporal'], { signal });
    if (unpacked.exitCode !== 0) throw new Error(`tar could not unpack it: ${lastOutputLines(unpacked)}`);
    await chmod(join(directory, 'temporal'), 0o755);
    await rename(join(directory, 'temporal'), target);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @returns the SHA-256 of the file in hexadecimal digits */
async function downloadFile(
  url: string,
  path: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<string> {
  const stop = new AbortController();
  let timer = setTimeout(() => stop.abort(), RESPONSE_TIMEOUT_MS);
  const signals = [stop.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    if (!response.ok || !response.body)
      throw new Error(`the server responded with status ${response.status}`);
    const total = Number(response.headers.get('content-length'));
    let read = 0;
    const hash = createHash('sha256');
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), STALL_TIMEOUT_MS);
        read += chunk.length;
        hash.update(chunk);
        step.detail(`${megabytes(read)}${total ? ` of ${megabytes(total)}` : ''} MB`);
        done(null, chunk);
      },
    });
    await pipeline(Readable.from(response.body), meter, createWriteStream(path));
    return hash.digest('hex');
  } catch (error) {
    const reason =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
    throw new Error(`${url}: ${stop.signal.aborted ? 'no response in time' : reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
