import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { codeOf, ServiceError } from '../../../errors.ts';
import { createDataDirectory } from '../data-directory.ts';
import { currentProcess, isRunning, type ProcessId } from './process-identity.ts';

const processIdSchema = z.object({ pid: z.int(), identity: z.string() });
const runFileSchema = processIdSchema.extend({
  startedAt: z.string(),
  urls: z.object({
    api: z.string().optional(),
    /** `host:port` of the Temporal server. */
    temporal: z.string().optional(),
    temporalUi: z.string().optional(),
  }),
  children: z.record(z.string(), processIdSchema),
});

/** The content of `<data>/run.json`: the supervisor's process, its URLs, and its child processes. */
export type RunFile = z.output<typeof runFileSchema>;

/** URLs of a running instance; `api` is set when it is ready. */
export type InstanceUrls = RunFile['urls'];

/** The exclusive lock of the data directory. */
export interface DataDirectoryLock {
  /** Child processes of an earlier supervisor that were still in the run file. */
  readonly previousChildren: Record<string, ProcessId>;
  /** Records a child process, or removes one that ended. @throws Error if the run file cannot be written */
  setChild(name: string, child: ProcessId | undefined): void;
  /** @throws Error if the run file cannot be written */
  setUrls(urls: InstanceUrls): void;
  /**
   * Removes the run file and releases the lock.
   * @throws Error if the file cannot be removed; the lock is released anyway
   */
  release(): void;
}

/**
 * Locks the data directory for this process. The kernel releases the lock when the process dies, so a killed
 * supervisor leaves no stale lock behind.
 * @returns `undefined` when another process holds it
 */
export function lockDataDirectory(dataDir: string): DataDirectoryLock | undefined {
  createDataDirectory(dataDir);
  const path = join(dataDir, 'run.json');
  const lockPath = join(dataDir, 'run.lock');
  const lock = acquireFileLock(lockPath);
  if (!lock) return undefined;
  const lockedFile = fileNumber(lockPath);
  // Another instance may have created the directory anew and locked it. Its run file must be neither replaced
  // nor removed.
  const assertSameDirectory = () => {
    if (fileNumber(lockPath) !== lockedFile)
      throw new ServiceError(
        'SERVICE_UNAVAILABLE',
        `${dataDir} is no longer the data directory of this process: it was deleted, renamed or replaced.`,
      );
  };

  const content: RunFile = {
    ...currentProcess(),
    startedAt: new Date().toISOString(),
    urls: {},
    children: {},
  };
  const write = () => {
    assertSameDirectory();
    writeAtomically(path, `${JSON.stringify(content, null, 2)}\n`);
  };
  const previousChildren = readRunFile(dataDir)?.children ?? {};
  // They stay in the file until they are stopped, because this process may be killed before it stops them.
  Object.assign(content.children, previousChildren);
  write();
  return {
    previousChildren,
    setChild(name, child) {
      if (child) content.children[name] = child;
      else delete content.children[name];
      write();
    },
    setUrls(urls) {
      content.urls = urls;
      write();
    },
    release() {
      try {
        assertSameDirectory();
        rmSync(path, { force: true });
      } finally {
        lock.close();
      }
    },
  };
}

/** Reads the run file; `undefined` when it is missing or invalid. */
export function readRunFile(dataDir: string): RunFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, 'run.json'), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ServiceError(
      'BAD_REQUEST',
      `${dataDir}/run.json cannot be read. Run as the user who started Winnow.`,
      {
        cause: error,
      },
    );
  }
  try {
    return runFileSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // A truncated file or one of another version counts as missing; the lock decides who runs.
  }
}

/** Finds the instance that runs on this data; `undefined` when its process is not alive. */
export function findRunningInstance(dataDir: string): RunFile | undefined {
  const run = readRunFile(dataDir);
  return run && isRunning(run) ? run : undefined;
}

/**
 * SQLite serves only as a file lock that the system releases with the process; Node has no other such lock.
 */
function acquireFileLock(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would let every user of the machine read the file, and so take the lock.
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined;
    throw new ServiceError(
      'BAD_REQUEST',
      `The data directory cannot be locked (${path}). It must be writable by this user, or set WINNOW_DATA_DIR to another.`,
      { cause: error },
    );
  }
}

/** The number of a file, which no other file has while it is open; `undefined` if there is none. */
function fileNumber(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Writes a file so that a reader sees either the old or the new content. */
function writeAtomically(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
