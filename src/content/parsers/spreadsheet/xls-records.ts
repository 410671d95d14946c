/** A record of a workbook of Excel 97 to 2003 (MS-XLS 2.1.4). */
export interface XlsRecord {
  /** Where it begins in the stream. */
  at: number;
  type: number;
  /** Its content, which is shorter than the record says at the end of a damaged stream. */
  content: Buffer;
  isComplete: boolean;
}

const HEADER_BYTES = 4;

/** Reads the records of the stream of a workbook one after the other. Damaged streams end early. */
export function* readXlsRecords(stream: Buffer): Generator<XlsRecord> {
  for (let at = 0; at + HEADER_BYTES <= stream.length; ) {
    const type = stream.readUInt16LE(at);
    const end = at + HEADER_BYTES + stream.readUInt16LE(at + 2);
    const content = stream.subarray(at + HEADER_BYTES, end);
    yield { at, type, content, isComplete: end <= stream.length };
    at = end;
  }
}
