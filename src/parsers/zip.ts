import { inflateRawSync } from 'node:zlib';

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
/** Size of the end record with the longest possible comment (64 KiB). */
const MAX_END_RECORD_BYTES = 22 + 0xffff;
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

  /** @throws RangeError if the archive has no readable directory, or more than `maxEntries` entries */
  constructor(bytes: Uint8Array, maxEntries = 20_000) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = this.#findEndRecord();
    const count = this.#bytes.readUInt16LE(end + 10);
    if (count > maxEntries) throw new RangeError(`The archive has more than ${maxEntries} entries.`);
    let at = this.#bytes.readUInt32LE(end + 16);
    for (let place = 0; place < count && this.#bytes.readUInt32LE(at) === DIRECTORY_ENTRY; place++) {
      const nameLength = this.#bytes.readUInt16LE(at + 28);
      const name = this.#bytes.toString('utf8', at + 46, at + 46 + nameLength);
      this.#entries.set(name, {
        name,
        method: this.#bytes.readUInt16LE(at + 10),
        compressedSize: this.#bytes.readUInt32LE(at + 20),
        size: this.#bytes.readUInt32LE(at + 24),
        offset: this.#bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameLength + this.#bytes.readUInt16LE(at + 30) + this.#bytes.readUInt16LE(at + 32);
    }
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
