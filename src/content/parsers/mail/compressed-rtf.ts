import { toBuffer } from '../../source-text.ts';

/** The content of the dictionary before the first byte (MS-OXRTFCP 2.2.2.1). */
const DICTIONARY = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);
const DICTIONARY_BYTES = 4096;
const HEADER_BYTES = 16;
const UNCOMPRESSED = 'MELA';
const COMPRESSED = 'LZFu';
/** Limit of the expanded size, in bytes. */
const MAX_BYTES = 50 * 1024 * 1024;

/**
 * Expands the RTF body of an Outlook mail (MS-OXRTFCP). A body that is cut gives what can be read.
 * @throws RangeError if the body is damaged or larger than 50 MB
 */
export function expandRtf(body: Uint8Array): Buffer {
  const bytes = toBuffer(body);
  const size = bytes.readUInt32LE(4);
  const kind = bytes.toString('latin1', 8, 12);
  if (size > MAX_BYTES) throw new RangeError('The body of the mail is too large.');
  if (kind === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + size);
  if (kind !== COMPRESSED) throw new RangeError('The body of the mail is not compressed RTF.');
  return expand(bytes.subarray(HEADER_BYTES), size);
}

function expand(source: Buffer, size: number): Buffer {
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  DICTIONARY.copy(dictionary);
  const target = Buffer.alloc(size);
  let [from, to] = [0, 0];
  const write = (byte: number) => {
    dictionary[(DICTIONARY.length + to) % DICTIONARY_BYTES] = byte;
    target[to++] = byte;
  };
  while (from < source.length && to < size) {
    const kinds = source[from++] as number;
    for (let bit = 0; bit < 8 && from < source.length && to < size; bit++) {
      if ((kinds & (1 << bit)) === 0) {
        write(source[from++] as number);
        continue;
      }
      if (from + 2 > source.length) return target.subarray(0, to);
      const reference = source.readUInt16BE(from);
      from += 2;
      const offset = reference >> 4;
      // A reference to the place that is written next marks the end.
      if (offset === (DICTIONARY.length + to) % DICTIONARY_BYTES) return target.subarray(0, to);
      const length = (reference & 0xf) + 2;
      for (let place = 0; place < length && to < size; place++)
        write(dictionary[(offset + place) % DICTIONARY_BYTES] as number);
    }
  }
  return target.subarray(0, to);
}
