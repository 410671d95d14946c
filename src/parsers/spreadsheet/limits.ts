import { DocumentError } from '../document-error.ts';
import { ZipArchive } from '../zip.ts';

const ZIP_SIGNATURE = 0x504b0304;
const MAX_ENTRIES = 10_000;
/** Limit of the expanded size of all entries together, in bytes. */
const MAX_EXPANDED_BYTES = 300 * 1024 * 1024;

/**
 * Checks the archive of a workbook before SheetJS expands it.
 * @throws DocumentError if it has too many entries or would be too large
 */
export function checkArchive(bytes: Uint8Array): void {
  const isZip =
    bytes.length > 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) === ZIP_SIGNATURE;
  if (!isZip) return;
  let expanded: number;
  try {
    expanded = new ZipArchive(bytes, MAX_ENTRIES).expandedBytes;
  } catch (error) {
    throw new DocumentError('too-large', 'The workbook has too many parts, or its archive is damaged.', {
      cause: error,
    });
  }
  if (expanded > MAX_EXPANDED_BYTES)
    throw new DocumentError('too-large', 'The expanded workbook is too large.');
}
