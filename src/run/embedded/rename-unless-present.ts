import { rename } from 'node:fs/promises';
import { codeOf } from '../../errors.ts';

/**
 * Moves a finished directory or file to its place. If another process has put the same there meanwhile, that
 * stays, and `draft` is left for the caller to delete.
 */
export async function renameUnlessPresent(draft: string, target: string): Promise<void> {
  try {
    await rename(draft, target);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}
