import { crc32, inflateRawSync } from 'node:zlib';
import { toBuffer } from '../source-text.ts';

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
/** Size of the end record with the longest possible comment (64 KiB). */
const MAX_END_RECORD_BYTES = 22 + 0xffff;
/** Version 2.0 of the format, which has deflated entries. */
const VERSION = 20;
const UTF8_NAMES = 0x0800;
const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  name: string;
  method: number;
  /** In bytes, as the directory says. */
  compressedSize: number;
  /** In bytes, as the directory says. */
  size: number;
  /** Offset of the local header. */
  offset: number;
}

/** The entries of a zip archive without ZIP64, by their names. Nothing is expanded until it is read. */
export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();
  /** Whether names have backslashes, as some programs of Windows write them; `names` have slashes. */
  readonly hasBackslashes: boolean;

  /** @throws RangeError if the archive has no readable directory, or more than `maxEntries` entries */
  constructor(bytes: Uint8Array, maxEntries = 20_000) {
    this.#bytes = toBuffer(bytes);
    const end = this.#findEndRecord();
    const count = this.#bytes.readUInt16LE(end + 10);
    if (count > maxEntries) throw new RangeError(`The archive has more than ${maxEntries} entries.`);
    let hasBackslashes = false;
    let at = this.#bytes.readUInt32LE(end + 16);
    for (let place = 0; place < count && this.#bytes.readUInt32LE(at) === DIRECTORY_ENTRY; place++) {
      const nameLength = this.#bytes.readUInt16LE(at + 28);
      const stored = this.#bytes.toString('utf8', at + 46, at + 46 + nameLength);
      const name = stored.replaceAll('\\', '/');
      hasBackslashes ||= name !== stored;
      this.#entries.set(name, {
        name,
        method: this.#bytes.readUInt16LE(at + 10),
        compressedSize: this.#bytes.readUInt32LE(at + 20),
        size: this.#bytes.readUInt32LE(at + 24),
        offset: this.#bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameLength + this.#bytes.readUInt16LE(at + 30) + this.#bytes.readUInt16LE(at + 32);
    }
    this.hasBackslashes = hasBackslashes;
  }

  /** Names of all entries. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Expanded size of all entries together in bytes, as the directory says. */
  get expandedBytes(): number {
    return this.#entries.values().reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Expands an entry.
   * @param maxBytes limit of the expanded size, whatever the directory says
   * @returns undefined if the entry does not exist
   * @throws RangeError if the entry is larger
   */
  read(name: string, maxBytes: number): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const { offset, method, compressedSize } = entry;
    if (this.#bytes.readUInt32LE(offset) !== LOCAL_ENTRY) return undefined;
    const start = offset + 30 + this.#bytes.readUInt16LE(offset + 26) + this.#bytes.readUInt16LE(offset + 28);
    const content = this.#bytes.subarray(start, start + compressedSize);
    if (method === DEFLATED) return inflateRawSync(content, { maxOutputLength: maxBytes });
    if (method !== STORED) return undefined;
    if (content.length > maxBytes) throw new RangeError(`The entry ${name} is too large.`);
    return content;
  }

  #findEndRecord(): number {
    const from = Math.max(0, this.#bytes.length - MAX_END_RECORD_BYTES);
    for (let at = this.#bytes.length - 22; at >= from; at--)
      if (this.#bytes.readUInt32LE(at) === END_RECORD) return at;
    throw new RangeError('The archive has no directory.');
  }
}

/** Whether bytes begin like a zip archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === LOCAL_ENTRY;
}

/** A file in an archive that is written. */
export interface ZipPart {
  name: string;
  content: Buffer;
}

/** Writes a zip archive without compression (PKWARE APPNOTE 4.3). */
export function writeStoredZip(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name: text, content } of parts) {
    const name = Buffer.from(text);
    // The fields that the local header and the entry of the directory share, from the version to the length
    // of the name.
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
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END_RECORD, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, directoryBytes, end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
