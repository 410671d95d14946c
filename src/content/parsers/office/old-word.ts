import { toBuffer } from '../../source-text.ts';

/** The first bytes of the text stream of Word 6 and 95, and the versions behind them (FIB, `nFib`). */
const SIGNATURE = 0xa5dc;
const SECTOR_BYTES = 512;
const WORD_95 = 104;
/** The names of the streams as programs write them that look for them. */
const STREAMS = ['WordDocument', '1Table', '0Table', 'Data', 'SummaryInformation', 'PowerPoint Document'];

/** The program that wrote a doc file of before Word 97; undefined for other files. */
export function oldWordProgram(bytes: Uint8Array): 'Word 6' | 'Word 95' | undefined {
  const file = toBuffer(bytes);
  for (let at = 0; at + 4 <= file.length; at += SECTOR_BYTES)
    if (file.readUInt16LE(at) === SIGNATURE) {
      const version = file.readUInt16LE(at + 2);
      if (version >= 100 && version < 110) return version >= WORD_95 ? 'Word 95' : 'Word 6';
    }
  return undefined;
}

/**
 * Writes the names of the streams of a compound file as Word does: names differ in case in files of some
 * programs, which is no difference in this format (MS-CFB 2.6.4), but anydoc looks for exact names.
 */
export function withStreamNames(bytes: Uint8Array): Uint8Array {
  const file = toBuffer(bytes);
  let changed: Buffer | undefined;
  for (const name of STREAMS)
    for (const other of [name.toUpperCase(), name.toLowerCase()]) {
      const wanted = Buffer.from(`${other}\0`, 'utf16le');
      if (other === name) continue;
      // Entries of the directory are aligned, and begin with their name.
      for (let at = file.indexOf(wanted); at !== -1; at = file.indexOf(wanted, at + 1))
        if (at % 128 <= 2) {
          changed ??= Buffer.from(file);
          changed.write(name, at, 'utf16le');
        }
    }
  return changed ?? bytes;
}
