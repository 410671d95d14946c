import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../errors.ts';
import { every } from '../../../system/every.ts';

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const SIZE_CHECK_INTERVAL_MS = 60_000;
const MAX_OLD_LOGS = 3;

/** The log of one process, `<data>/logs/<name>.log`, with up to three older logs beside it. */
export interface LogFile {
  path: string;
  /** Open for appending. The process writes to it directly, even after the supervisor is gone. */
  fd: number;
  /** The last lines, for a message about a failed process; none if the file cannot be read. */
  lastLines(count: number): string;
}

/**
 * Opens a new log and moves the previous one to `<name>.log.1`. A log that grows past 20 MiB is moved and
 * emptied.
 */
export function openLog(dataDir: string, name: string): LogFile {
  const directory = join(dataDir, 'logs');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${name}.log`);
  if (existsSync(path) && statSync(path).size) {
    for (let age = MAX_OLD_LOGS - 1; age >= 1; age--) {
      if (existsSync(`${path}.${age}`)) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
    }
    renameSync(path, `${path}.1`);
  }
  const fd = openSync(path, 'a', 0o600);
  every(SIZE_CHECK_INTERVAL_MS, () => rotateIfLarge(path), warnOfSize(path)).unref();
  return { path, fd, lastLines: (count) => lastLines(path, count) };
}

function lastLines(path: string, count: number): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return ''; // The message about the failed process names this file, and must not be replaced by one about the file.
  }
}

/**
 * Moves a log that has become too large to `<path>.1`. The writers keep the file open in append mode, so it
 * is copied and truncated in place instead of renamed. If that is not possible (the disk is full), a warning
 * says so, and the log grows on.
 */
export function rotateIfLarge(path: string, maxBytes = MAX_LOG_BYTES): void {
  try {
    if (!existsSync(path) || statSync(path).size < maxBytes) return;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  } catch (error) {
    warnOfSize(path)(error);
  }
}

const warnOfSize = (path: string) => (error: unknown) =>
  process.emitWarning(`${path} is large and could not be emptied: ${messageOf(error)}`);
