import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../errors.ts';

/** The files of a Postgres. Their places relative to each other are built into its programs. */
export interface PostgresFiles {
  /** The directory above all of them. */
  root: string;
  /** Directories of programs, libraries and data, relative to the root. */
  parts: string[];
}

/** A file or symbolic link of Postgres. */
interface SourceFile {
  /** Relative to the root. */
  path: string;
  size: number;
  isExecutable: boolean;
  isLink: boolean;
  /** Changes with each replacement of the file. */
  state: string;
}

/** The programs that a copy has; others, such as `pg_dump`, are not run. */
const PROGRAMS = new Set(['initdb', 'postgres']);
/**
 * Files that only a compiler of statements or extensions needs. Our connections do not have statements
 * compiled.
 */
const NOT_NEEDED = /^(bitcode|pgxs|pkgconfig|man|llvmjit.*)$/;
/** How often a copy is made again because a file was replaced meanwhile. */
const ATTEMPTS = 5;

/**
 * Copies Postgres to a directory of its own, unless it is there already, and deletes copies of other versions.
 * A running Postgres loads libraries with each new connection, such as that of plpgsql. It must find those of
 * its own version, also after the machine's have been upgraded or removed. No server may run on `directory`.
 * @returns the root of the copy
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the files are being replaced all the time
 */
export function copyPostgres(files: PostgresFiles, directory: string): string {
  for (let left = ATTEMPTS; left > 0; left--) {
    const sources = files.parts.flatMap((part) => listFiles(files.root, part));
    const name = fingerprint(sources);
    const copy = join(directory, name);
    if (!isComplete(copy, sources)) makeCopy(files.root, sources, copy);
    // An upgrade during the copying would leave a mixture of two versions under the name of the first one.
    if (fingerprint(files.parts.flatMap((part) => listFiles(files.root, part))) === name) {
      for (const other of readdirSync(directory).filter((entry) => entry !== name))
        rmSync(join(directory, other), { recursive: true, force: true });
      return copy;
    }
    rmSync(copy, { recursive: true, force: true });
  }
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `The programs of Postgres in ${files.root} are being replaced. Start again when their upgrade has ended.`,
  );
}

function listFiles(root: string, part: string): SourceFile[] {
  const inPrograms = basename(part) === 'bin';
  return readdirSync(join(root, part), { withFileTypes: true }).flatMap((entry): SourceFile[] => {
    const path = join(part, entry.name);
    if (NOT_NEEDED.test(entry.name) || (inPrograms && !PROGRAMS.has(entry.name))) return [];
    if (entry.isDirectory()) return listFiles(root, path);
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (!stat) return [];
    const { size, mode, ino, mtimeMs, ctimeMs } = stat;
    return [
      {
        path,
        size,
        isExecutable: (mode & 0o111) !== 0,
        isLink: stat.isSymbolicLink(),
        state: [ino, size, mtimeMs, ctimeMs].join(),
      },
    ];
  });
}

const fingerprint = (sources: SourceFile[]) =>
  createHash('sha256')
    .update(JSON.stringify(sources.map(({ path, state }) => [path, state])))
    .digest('hex')
    .slice(0, 16);

/** Compares sizes, because a machine that loses power may leave files without their content. */
const isComplete = (copy: string, sources: SourceFile[]) =>
  existsSync(copy) &&
  sources.every(({ path, size }) => lstatSync(join(copy, path), { throwIfNoEntry: false })?.size === size);

/** Makes the copy under another name first, so that a killed start leaves no partial one. */
function makeCopy(root: string, sources: SourceFile[], copy: string): void {
  const draft = `${copy}.new`;
  for (const path of [draft, copy]) rmSync(path, { recursive: true, force: true });
  makeOpenDirectories(draft, sources);
  for (const { path, isExecutable, isLink } of sources) {
    const target = join(draft, path);
    if (isLink) {
      symlinkSync(readlinkSync(join(root, path)), target);
      continue;
    }
    copyFileSync(join(root, path), target);
    chmodSync(target, isExecutable ? 0o755 : 0o644);
  }
  renameSync(draft, copy);
}

/** Creates the directories of the files. Started by root, Postgres enters them as another user. */
function makeOpenDirectories(draft: string, sources: SourceFile[]): void {
  const directories = new Set<string>();
  for (const { path } of sources)
    for (let at = dirname(path); !directories.has(at) && at !== '.'; at = dirname(at)) directories.add(at);
  const paths = [dirname(draft), draft, ...[...directories].sort().map((path) => join(draft, path))];
  for (const path of paths) {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
  }
}
