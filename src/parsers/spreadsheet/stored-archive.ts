import { crc32 } from 'node:zlib';
import { codeOf } from '../../errors.ts';
import { DocumentError } from '../document-error.ts';
import { ZipArchive } from '../zip.ts';

const ZIP_SIGNATURE = 0x504b0304;
const LOCAL_ENTRY = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_RECORD = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 0x0800;

const MAX_ENTRIES = 10_000;
/** Limit of the expanded size of all entries together, in bytes. */
const MAX_EXPANDED_BYTES = 200 * 1024 * 1024;

interface Part {
  name: Buffer;
  content: Buffer;
}

/**
 * Expands the zip archive of a workbook, because SheetJS can expand a damaged one without end. Parts that are damaged are
 * left out; SheetJS reports those that it needs.
 * @param onDamage called once if parts are left out
 * @returns an archive with the same parts, uncompressed; the same bytes if they are no zip archive
 * @throws DocumentError if the archive is damaged, has too many entries or would be too large
 */
export function expandArchive(bytes: Uint8Array, onDamage: () => void): Uint8Array {
  const isZip =
    bytes.length > 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) === ZIP_SIGNATURE;
  if (!isZip) return bytes;
  const archive = openArchive(bytes);
  const parts = readParts(archive);
  if (parts.length < archive.names.length) onDamage();
  return writeArchive(parts);
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

function readParts(archive: ZipArchive): Part[] {
  const tooLarge = (cause?: unknown) =>
    new DocumentError('too-large', 'The expanded workbook is too large.', { cause });
  if (archive.expandedBytes > MAX_EXPANDED_BYTES) throw tooLarge();
  let left = MAX_EXPANDED_BYTES;
  return archive.names.flatMap((name) => {
    try {
      const content = archive.read(name, Math.max(1, left));
      left -= content?.length ?? 0;
      return content ? [{ name: Buffer.from(name), content }] : [];
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE' || left <= 1) throw tooLarge(error);
      // The other parts may still hold sheets.
      return [];
    }
  });
}

/** Writes a zip archive without compression (PKWARE APPNOTE 4.3). */
function writeArchive(parts: readonly Part[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of parts) {
    // The fields that the local header and the entry of the directory share, from the version to the length of the name.
    const fields = Buffer.alloc(24);
    fields.writeUInt16LE(VERSION, 0);
    fields.writeUInt16LE(UTF8_NAMES, 2);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([uint32(LOCAL_ENTRY), fields, Buffer.alloc(2), name]);
    const attributes = Buffer.alloc(16);
    attributes.writeUInt32LE(offset, 12);
    directory.push(uint32(DIRECTORY_ENTRY), fields.subarray(0, 2), fields, attributes, name);
    files.push(local, content);
    offset += local.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END_RECORD, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
