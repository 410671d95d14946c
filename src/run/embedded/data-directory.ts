import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, ServiceError } from '../../errors.ts';
import type { SystemUser } from './postgres-programs.ts';

/**
 * Creates the data directory, for its owner alone, unless it exists. Directories above it that do not exist yet are
 * created as `mkdir` does, because the user of the embedded Postgres has to pass through them.
 */
export function createDataDirectory(dataDir: string): void {
  mkdirSync(dirname(dataDir), { recursive: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * Closes the data directory to other users of the machine: it has keys, results and the inputs of all jobs.
 * Where Postgres runs as a user who does not own it, the group of that user may pass through, but not list it. The
 * owner stays, because a directory that root has used once is still that of the user who began it.
 * @param postgres the user of the embedded Postgres, if it is not that of this process
 * @throws ServiceError `BAD_REQUEST` if the directory is open and belongs to somebody else
 */
export function protectDataDirectory(dataDir: string, postgres?: SystemUser): void {
  try {
    const { uid } = statSync(dataDir);
    const passing = postgres && postgres.uid !== uid ? postgres : undefined;
    if (passing) chownSync(dataDir, uid, passing.gid);
    chmodSync(dataDir, passing ? 0o710 : 0o700);
  } catch (cause) {
    if (codeOf(cause) !== 'EPERM') throw cause;
    if ((statSync(dataDir).mode & 0o007) === 0) return;
    throw new ServiceError(
      'BAD_REQUEST',
      `Every user of this machine can enter the data directory ${dataDir}, and it cannot be closed because it belongs to another user. Close it (chmod o-rwx ${dataDir}), or set WINNOW_DATA_DIR to a directory of this user.`,
      { cause },
    );
  }
}
