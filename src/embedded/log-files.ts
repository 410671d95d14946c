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

const LARGEST_BYTES = 20 * 1024 * 1024;
const CHECK_MS = 60_000;
const KEPT = 3;

/** The log of one part, `<data>/logs/<name>.log`, with up to three older ones beside it. */
export interface LogFile {
  path: string;
  /** Open for appending: a part can write to it by itself, even when its starter is gone. */
  fd: number;
  /** What was last written, for a message about a part that failed. */
  lastLines(count: number): string;
}

/** Opens a log afresh: what an earlier start wrote moves to `<name>.log.1`. A log that grows past 20 MB is cut. */
export function openLog(dataDir: string, name: string): LogFile {
  const directory = join(dataDir, 'logs');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `${name}.log`);
  if (existsSync(path) && statSync(path).size) {
    for (let age = KEPT - 1; age >= 1; age--) {
      if (existsSync(`${path}.${age}`)) renameSync(`${path}.${age}`, `${path}.${age + 1}`);
    }
    renameSync(path, `${path}.1`);
  }
  const fd = openSync(path, 'a', 0o640);
  setInterval(() => cut(path), CHECK_MS).unref();
  return {
    path,
    fd,
    lastLines: (count) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n'),
  };
}

/** The writers hold the file open, so it is emptied where it is: all of them append. */
function cut(path: string): void {
  if (!existsSync(path) || statSync(path).size < LARGEST_BYTES) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}
