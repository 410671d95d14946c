import { readdirSync, readFileSync, statSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** The directory with an entry for each file descriptor of this process. */
const DESCRIPTORS = '/proc/self/fd';

/** The most file descriptors that this process may have, which Node raises to what the system allows at its start. */
let limit: number | undefined;

/**
 * How many file descriptors this process can still open; infinitely many where there is no `/proc`, which
 * tells. Connections, pipes of child processes and open files take one each.
 */
export function freeDescriptors(): number {
  try {
    limit ??= readLimit();
    return Math.max(0, limit - countDescriptors());
  } catch (error) {
    const code = codeOf(error);
    // There is none left to read with.
    if (code === 'EMFILE' || code === 'ENFILE') return 0;
    if (code === 'ENOENT') return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function readLimit(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Linux gives their number as the size of the directory since 6.2; before, the size is 0 and they are listed. */
const countDescriptors = () => statSync(DESCRIPTORS).size || readdirSync(DESCRIPTORS).length;
