import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { codeOf, ServiceError } from '../errors.ts';
import { isRunning, ownProcess, type ProcessId } from './process-identity.ts';

const processId = z.object({ pid: z.int(), identity: z.string() });
const runFile = processId.extend({
  startedAt: z.string(),
  urls: z.object({
    api: z.string().optional(),
    /** `host:port` of the engine. */
    temporal: z.string().optional(),
    temporalUi: z.string().optional(),
  }),
  children: z.record(z.string(), processId),
});

/** What `<data>/run.json` says: who runs on this data, where it answers, and which processes are its parts. */
export type RunFile = z.output<typeof runFile>;

/** Addresses of a running instance; `api` appears when it is ready. */
export type InstanceUrls = RunFile['urls'];

/** The data directory, held by this process alone. */
export interface Run {
  /** Parts of an earlier start that were still written down when this one took the directory. */
  readonly leftBehind: Record<string, ProcessId>;
  /** Writes down a part, or that it ended. */
  setChild(name: string, child: ProcessId | undefined): void;
  setUrls(urls: InstanceUrls): void;
  /** Removes the file and lets the next start in. */
  release(): void;
}

/**
 * Takes the data directory for this process. A lock of the kernel decides between starts, so that a starter which was
 * killed leaves nothing that would have to be judged.
 * @returns `undefined` when another process holds it
 */
export function takeRun(dataDir: string): Run | undefined {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'run.json');
  const lock = lockFile(join(dataDir, 'run.lock'));
  if (!lock) return undefined;

  const content: RunFile = { ...ownProcess(), startedAt: new Date().toISOString(), urls: {}, children: {} };
  const write = () => writeWhole(path, `${JSON.stringify(content, null, 2)}\n`);
  const leftBehind = readRun(dataDir)?.children ?? {};
  // Until they are ended they stay written down: this start may be killed before it gets to them.
  Object.assign(content.children, leftBehind);
  write();
  return {
    leftBehind,
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
      rmSync(path, { force: true });
      lock.close();
    },
  };
}

/** What the file says; `undefined` when there is none, or none that can be read. */
export function readRun(dataDir: string): RunFile | undefined {
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
    return runFile.parse(JSON.parse(text));
  } catch {
    return undefined; // Cut off or of another version: as good as none, the lock decides who runs.
  }
}

/** The instance that runs on this data, checked to be alive; `undefined` when none does. */
export function findRunning(dataDir: string): RunFile | undefined {
  const run = readRun(dataDir);
  return run && isRunning(run) ? run : undefined;
}

/** SQLite is used for its lock only: it is freed by the system with its process, which Node offers nowhere else. */
function lockFile(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
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

/** A reader sees the old content or the new one, never half of it. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}
