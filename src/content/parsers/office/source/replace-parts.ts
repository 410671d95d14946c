import { writeStoredZip, type ZipArchive, type ZipPart } from '../../zip.ts';

/** Limit of all expanded parts together, in bytes. */
const MAX_EXPANDED_BYTES = 200 * 1024 * 1024;

/**
 * Copies an archive with other contents of some parts, for a reader that should see them instead.
 * @param texts the new contents by the names of the parts
 * @returns undefined if its parts are too large or damaged
 */
export function replaceParts(archive: ZipArchive, texts: ReadonlyMap<string, string>): Buffer | undefined {
  const parts: ZipPart[] = [];
  let left = MAX_EXPANDED_BYTES;
  for (const name of archive.names) {
    const text = texts.get(name);
    const content = text === undefined ? tryReadPart(archive, name, Math.max(1, left)) : Buffer.from(text);
    left -= content?.length ?? 0;
    if (!content || left < 0) return undefined;
    parts.push({ name, content });
  }
  return writeStoredZip(parts);
}

/**
 * Reads a part of an archive.
 * @param maxBytes limit of its expanded size
 * @returns undefined if the part is missing, damaged or larger than the limit; anydoc reports that where it
 * matters
 */
export function tryReadPart(archive: ZipArchive, name: string, maxBytes: number): Buffer | undefined {
  try {
    return archive.read(name, maxBytes);
  } catch (error) {
    // Errors of zlib, and of reads beyond the end of the file.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
