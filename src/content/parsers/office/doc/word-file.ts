import { CFB } from '@e965/xlsx';
import { toBuffer } from '../../../source-text.ts';

/** Signature of the stream `WordDocument` since Word 97. */
const SIGNATURE = 0xa5ec;
const FLAGS = 10;
const USES_TABLE_1 = 0x0200;
/** Offset of the list of offsets and lengths of all structures in the table stream (FibRgFcLcb97). */
const STRUCTURES = 154;

/** Numbers of the structures in the list. */
const NUMBERS = {
  styleSheet: 1,
  characterPages: 12,
  paragraphPages: 13,
  fonts: 15,
  pieces: 33,
  anchors: 40,
  textBoxes: 56,
};
/**
 * Offsets of the numbers of characters of the texts before those of the text boxes (FibRgLw97): body,
 * footnotes, headers, comments and endnotes.
 */
const TEXT_LENGTHS = [76, 80, 84, 92, 96];

/** The streams of a file of Word 97 to 2003 (MS-DOC 2.1). */
export class WordFile {
  /** The stream with the text. */
  readonly text: Buffer;
  readonly #tables: Buffer;

  /** @throws RangeError, or an error of SheetJS, if the file does not have the streams */
  constructor(bytes: Uint8Array) {
    const file = CFB.read(toBuffer(bytes), { type: 'buffer' });
    const stream = (name: string) => {
      const content = CFB.find(file, `/${name}`)?.content;
      if (!content) throw new RangeError(`The file has no stream ${name}.`);
      return Buffer.from(content as Uint8Array);
    };
    this.text = stream('WordDocument');
    if (this.text.readUInt16LE(0) !== SIGNATURE) throw new RangeError('The file is not of Word 97 or later.');
    this.#tables = stream(this.text.readUInt16LE(FLAGS) & USES_TABLE_1 ? '1Table' : '0Table');
  }

  /** The place of the first character of all text boxes, behind the other texts. */
  get startOfTextBoxes(): number {
    return TEXT_LENGTHS.reduce((sum, offset) => sum + this.text.readUInt32LE(offset), 0);
  }

  /** A structure of the table stream; empty if the file does not have it. */
  structure(name: keyof typeof NUMBERS): Buffer {
    const at = STRUCTURES + 8 * NUMBERS[name];
    const start = this.text.readUInt32LE(at);
    return this.#tables.subarray(start, start + this.text.readUInt32LE(at + 4));
  }
}
