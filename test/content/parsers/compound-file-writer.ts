import { CFB } from '@e965/xlsx';

/** Writes a compound file (MS-CFB) with streams of the given names, which are paths. */
export function writeCompoundFile(streams: Record<string, string | Buffer>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams))
    CFB.utils.cfb_add(file, `/${name}`, Buffer.from(content));
  // With this option the result is an array of bytes.
  return markUnused(Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array));
}

const SECTOR = 512;
const UNUSED = 0xffffffff;

/**
 * Marks the places of the allocation table that have no sector as unused; the writer leaves zeros, which
 * strict readers refuse.
 */
function markUnused(file: Buffer): Buffer {
  const sectors = file.length / SECTOR - 1;
  const places = SECTOR / 4;
  for (let table = 0; table < file.readUInt32LE(44); table++) {
    const at = (file.readUInt32LE(76 + 4 * table) + 1) * SECTOR;
    for (let place = Math.max(0, sectors - table * places); place < places; place++)
      file.writeUInt32LE(UNUSED, at + 4 * place);
  }
  return file;
}
