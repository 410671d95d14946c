import { codeOf } from '../../../errors.ts';
import { DocumentError } from '../document-error.ts';
import { isZip, writeStoredZip, ZipArchive, type ZipPart } from '../zip.ts';
import { macroSheetsAsWorksheets } from './macro-sheets.ts';

const MAX_ENTRIES = 10_000;
/** Limit of the expanded size of all entries together, in bytes. */
const MAX_EXPANDED_BYTES = 200 * 1024 * 1024;

/**
 * Expands the zip archive of a workbook, because SheetJS can expand a damaged one without end. Parts that are
 * damaged are left out; SheetJS reports those that it needs.
 * @param onDamage called once if parts are left out
 * @returns an archive with the same parts, uncompressed, and with macro sheets as worksheets; the same bytes if they are no zip archive
 * @throws DocumentError if the archive is damaged, has too many entries or would be too large
 */
export function expandArchive(bytes: Uint8Array, onDamage: () => void): Uint8Array {
  if (!isZip(bytes)) return bytes;
  const archive = openArchive(bytes);
  const parts = readParts(archive);
  if (parts.length < archive.names.length) onDamage();
  return writeStoredZip(macroSheetsAsWorksheets(parts));
}

function openArchive(bytes: Uint8Array): ZipArchive {
  try {
    return new ZipArchive(bytes, MAX_ENTRIES);
  } catch (cause) {
    throw new DocumentError('too-large', 'The workbook has too many parts, or its archive is damaged.', {
      cause,
    });
  }
}

function readParts(archive: ZipArchive): ZipPart[] {
  const tooLarge = (cause?: unknown) =>
    new DocumentError('too-large', 'The expanded workbook is too large.', { cause });
  if (archive.expandedBytes > MAX_EXPANDED_BYTES) throw tooLarge();
  let left = MAX_EXPANDED_BYTES;
  return archive.names.flatMap((name) => {
    try {
      const content = archive.read(name, Math.max(1, left));
      left -= content?.length ?? 0;
      return content ? [{ name, content }] : [];
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE' || left <= 1) throw tooLarge(error);
      // The other parts may still hold sheets.
      return [];
    }
  });
}
