import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from '../../errors.ts';

/** How often the removal is tried again, a little later each time, while file descriptors are short. */
const RETRIES = 5;
/** The codes of directories without rights, and of those whose path is longer than the kernel takes. */
const PROGRAM_CODES = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG']);
const run = promisify(execFile);

/**
 * Deletes a directory of a child process with everything in it, or a file. It may have been made difficult to delete:
 * by rights, or by directories inside each other whose path is too long for Node.
 * @throws Error if something is left
 */
export async function deleteDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: RETRIES });
  } catch (error) {
    if (!PROGRAM_CODES.has(codeOf(error) ?? '')) throw error;
    // Both walk by file descriptors, and follow no links. What stays without rights makes the second one fail.
    await run('/bin/chmod', ['-R', 'u+rwx', '--', path]).catch(() => undefined);
    await run('/bin/rm', ['-rf', '--', path]);
  }
}
