import { codeOf, messageOf } from '../errors.ts';

/** What the codes of the system say of a file, as clauses. */
const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'your user has no right to it',
  EPERM: 'your user has no right to it',
  EROFS: 'its file system is read-only',
  EISDIR: 'it is a directory. Name a file in it',
  ENOTDIR: 'a part of its path is a file, and no directory',
  ENOSPC: 'its file system is full',
  ENAMETOOLONG: 'its name is too long',
};

/**
 * Says in words why a file cannot be read or written, which Node says by a code and the path once more.
 * @param use what was tried: a file that is written may be new, so that only its directory can be missing
 */
export function fileFault(cause: unknown, use: 'read' | 'write'): string {
  const code = codeOf(cause);
  if (code === 'ENOENT') return use === 'read' ? 'it does not exist' : 'its directory does not exist';
  return (code !== undefined && FAULTS[code]) || messageOf(cause);
}
