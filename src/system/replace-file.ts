import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** What the name of a file ends with that is not whole yet. */
export const DRAFT = '.part';

/**
 * Writes a stream beside a file, as `FILE.part`, which replaces the file when it is whole. Where that fails, nothing of
 * it stays.
 * @param options those of the stream; with the flag `wx`, a draft that exists is the error, and stays
 * @throws the error of the source or of the file
 */
export async function replaceFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: { flags?: 'w' | 'wx'; mode?: number; flush?: boolean } = {},
): Promise<void> {
  const draft = path + DRAFT;
  const target = createWriteStream(draft, options);
  let isOpen = false;
  target.once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline(source, target);
    await rename(draft, path);
  } catch (error) {
    // It may be opened only now.
    if (!target.closed) await new Promise<void>((resolve) => target.once('close', () => resolve()));
    if (isOpen) await rm(draft, { force: true });
    throw error;
  }
}
