/** A record of a PowerPoint 97 to 2003 file (MS-PPT 2.3.1). */
export interface PptRecord {
  type: number;
  /** The number of the record among those of its type. */
  instance: number;
  /** Its content; empty for containers, whose records follow. */
  content: Buffer;
}

/** The types of records that matter (MS-PPT 2.13.24). */
export const TYPES = {
  slide: 1006,
  slideInfo: 1017,
  slideList: 4080,
  slideInList: 1011,
  font: 4023,
  textCharacters: 4000,
  textBytes: 4008,
  textStyles: 4001,
  /** Begins a text. */
  textHeader: 3999,
  /** Stands for a text of the list of slides. */
  outlineText: 3998,
  /** A link of the presentation, with its identifier and strings behind it. */
  link: 4055,
  linkIdentifier: 4051,
  string: 4026,
  /** The action of a click, or of the pointer above. */
  interaction: 4083,
  /** The part of the text to which the action before it belongs. */
  interactiveText: 4063,
} as const;

const HEADER_BYTES = 8;
const CONTAINER = 0xf;

/**
 * Reads the records of a stream one after the other, those in containers behind their container. Damaged
 * streams end early.
 */
export function* readRecords(stream: Buffer): Generator<PptRecord> {
  for (let at = 0; at + HEADER_BYTES <= stream.length; ) {
    const kind = stream.readUInt16LE(at);
    const type = stream.readUInt16LE(at + 2);
    const start = at + HEADER_BYTES;
    const isContainer = (kind & 0xf) === CONTAINER;
    const end = isContainer ? start : start + stream.readUInt32LE(at + 4);
    yield { type, instance: kind >> 4, content: stream.subarray(start, end) };
    at = end;
  }
}
