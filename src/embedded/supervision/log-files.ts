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

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const SIZE_CHECK_INTERVAL_MS = 60_000;
const MAX_OLD_LOGS = 3;

/** The log of one process, `<data>/logs/<name>.log`, with up to three older logs beside it. */
export interface LogFile {
  path: string;
  /** Open for appending. The process writes to it directly, even after the supervisor is gone. */
  fd: number;
  /** The last lines, for a message about a failed process. */
  lastLines(count: number): string;
}

/** Opens a new log and moves the previous one to `<name>.log.1`. A log that grows past 20 MiB is moved and emptied. */
export function openLog(dataDir: string, name: string): LogFile {
  const directory = join(dataDir, 'logs');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.log`);
  if (existsSync(path) && statSync(path).size) {
    for (let age = MAX_OLD_LOGS - 1; age >= 1; age--) {
      if (existsSync(`${path}.${age}`)) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
    }
    renameSync(path, `${path}.1`);
  }
  const fd = openSync(path, 'a', 0o640);
  setInterval(() => rotateIfLarge(path), SIZE_CHECK_INTERVAL_MS).unref();
  return {
    path,
    fd,
    lastLines: (count) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n'),
  };
}

/** The writers keep the file open in append mode, so it is copied and truncated in place instead of renamed. */
function rotateIfLarge(path: string): void {
  if (!existsSync(path) || statSync(path).size < MAX_LOG_BYTES) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}
