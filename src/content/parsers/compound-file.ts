/** Signature of Microsoft's compound file format (MS-CFB 2.2). */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/**
 * Numbers of sectors and directory entries from here on have a special meaning, such as the end of a chain.
 */
const MAX_NUMBER = 0xfffffffa;
/** Number of sectors of the allocation table that the header names. */
const TABLE_SECTORS_IN_HEADER = 109;
const ENTRY_BYTES = 128;

/**
 * Whether a file begins with the signature of a compound file: doc, xls, ppt, msg and encrypted docx files.
 */
export const isCompoundFile = (bytes: Buffer): boolean =>
  bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/** The directory of a compound file, and the chains of sectors that contain it. Nothing else is read. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  /** The next sector of each sector. */
  readonly #next: number[];
  readonly #entries: Buffer[];

  /** @throws RangeError if the file has no readable directory */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#sectorBytes = bytes.readUInt16LE(30) === 12 ? 4096 : 512;
    this.#next = this.#tableSectors().flatMap((number) => numbersIn(this.#sector(number)));
    this.#entries = this.#chain(bytes.readUInt32LE(48)).flatMap((number) => entriesIn(this.#sector(number)));
  }

  /** Names of the streams and storages at the top level. Those of embedded files do not count. */
  get topLevelNames(): string[] {
    const names: string[] = [];
    const seen = new Set<number>();
    const waiting = [this.#entries[0]?.readUInt32LE(76) ?? MAX_NUMBER];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const entry = this.#entries[place];
      if (!entry || seen.has(place)) continue;
      seen.add(place);
      const nameBytes = Math.min(64, entry.readUInt16LE(64));
      names.push(entry.toString('utf16le', 0, Math.max(0, nameBytes - 2)));
      waiting.push(entry.readUInt32LE(68), entry.readUInt32LE(72));
    }
    return names;
  }

  /**
   * Whether a chain of sectors or the tree of entries leads back to itself, so that a naive reader would
   * never end.
   */
  get hasCycles(): boolean {
    const miniTable = this.#chain(this.#bytes.readUInt32LE(60)).flatMap((number) =>
      numbersIn(this.#sector(number)),
    );
    return isCyclic(this.#next) || isCyclic(miniTable) || this.#isTreeCyclic();
  }

  #sector(number: number): Buffer {
    const start = (number + 1) * this.#sectorBytes;
    return this.#bytes.subarray(start, start + this.#sectorBytes);
  }

  /**
   * The numbers of the sectors of the allocation table: some in the header, the rest in a chain of sectors.
   */
  #tableSectors(): number[] {
    const maxNumbers = Math.ceil(this.#bytes.length / this.#sectorBytes);
    const numbers = numbersIn(this.#bytes.subarray(76, 76 + 4 * TABLE_SECTORS_IN_HEADER));
    let at = this.#bytes.readUInt32LE(68);
    for (let more = 0; at < MAX_NUMBER && more < maxNumbers; more++) {
      const content = numbersIn(this.#sector(at));
      at = content.pop() ?? MAX_NUMBER;
      numbers.push(...content);
    }
    const used = numbers.filter((number) => number < maxNumbers);
    return [...new Set(used)];
  }

  /** The sectors of a chain; each only once, even if the chain is a cycle. */
  #chain(first: number): number[] {
    const chain = new Set<number>();
    for (let at = first; at < this.#next.length && !chain.has(at); at = this.#next[at] ?? MAX_NUMBER)
      chain.add(at);
    return [...chain];
  }

  /** In a tree, every entry has at most one entry that refers to it. */
  #isTreeCyclic(): boolean {
    const referred = new Set<number>([0]);
    for (const entry of this.#entries) {
      // Unused entries may contain anything.
      if (entry[66] === 0) continue;
      for (const offset of [68, 72, 76]) {
        const place = entry.readUInt32LE(offset);
        if (place >= MAX_NUMBER) continue;
        if (referred.has(place)) return true;
        referred.add(place);
      }
    }
    return false;
  }
}

function numbersIn(sector: Buffer): number[] {
  const numbers: number[] = [];
  for (let offset = 0; offset + 4 <= sector.length; offset += 4) numbers.push(sector.readUInt32LE(offset));
  return numbers;
}

function entriesIn(sector: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let offset = 0; offset + ENTRY_BYTES <= sector.length; offset += ENTRY_BYTES)
    entries.push(sector.subarray(offset, offset + ENTRY_BYTES));
  return entries;
}

/** Whether following the numbers from any place leads to the same place again. */
function isCyclic(next: readonly number[]): boolean {
  /** The place from which each place was first reached; 0 for places that were not. */
  const reached = new Uint32Array(next.length);
  for (let start = 0; start < next.length; start++) {
    for (let at = start; at < next.length && reached[at] !== start + 1; at = next[at] ?? MAX_NUMBER) {
      if (reached[at] !== 0) break;
      reached[at] = start + 1;
      const following = next[at];
      if (following !== undefined && reached[following] === start + 1) return true;
    }
  }
  return false;
}
