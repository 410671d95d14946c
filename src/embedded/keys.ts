import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKey } from '../db/teams.ts';
import { codeOf, ServiceError } from '../errors.ts';

/** A secret of this instance, and where it comes from. */
export interface KeptKey {
  value: string;
  /** The file that keeps it; `undefined` for one that was given by a setting. */
  file: string | undefined;
  /** Whether it was made just now. */
  made: boolean;
}

type KeyPlaces = { dataDir: string; apiKey?: string | undefined; secretKey?: string | undefined };

/** The key of the first team: given, else kept in `<data>/api-key`, else made. */
export function firstTeamKey(config: KeyPlaces): KeptKey {
  return config.apiKey ? given(config.apiKey) : readOrMake(join(config.dataDir, 'api-key'), makeKey);
}

/** The key that encrypts and signs: given, else kept in `<data>/secret-key`, else made. */
export function secretKey(config: KeyPlaces): KeptKey {
  if (config.secretKey) return given(config.secretKey);
  return readOrMake(join(config.dataDir, 'secret-key'), () => randomBytes(32).toString('hex'));
}

/** The password of the embedded Postgres, kept in `<data>/postgres-password`. */
export function postgresPassword(dataDir: string): string {
  return readOrMake(join(dataDir, 'postgres-password'), () => randomBytes(16).toString('hex')).value;
}

const given = (value: string): KeptKey => ({ value, file: undefined, made: false });

/** Of several processes that make it at once, one wins and the others read what it made. */
function readOrMake(file: string, make: () => string): KeptKey {
  const kept = read(file);
  if (kept) return { value: kept, file, made: false };
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return { value: read(file) ?? refuse(file), file, made: false };
  } finally {
    rmSync(draft, { force: true });
  }
  return { value: read(file) ?? refuse(file), file, made: true };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || refuse(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'EACCES') refuse(file);
    throw error;
  }
}

function refuse(file: string): never {
  throw new ServiceError(
    'BAD_REQUEST',
    `${file} is empty or cannot be read by this user. Put the key back, or run as the user who started Winnow.`,
  );
}
