/** A picture on a sheet. */
export interface PlacedPicture {
  /** The row at its top, from 0. */
  row: number;
  /** Alternative text; empty if there is none. */
  alt: string;
  /** Name of the part of the file that contains it, with the usual ending of such files. */
  part: string;
}

/** The pictures of a workbook. */
export interface PictureSource {
  /**
   * Reads where the pictures are, by the names of the sheets.
   * @throws RangeError if the file is damaged
   */
  readSheets(): ReadonlyMap<string, PlacedPicture[]>;
  /** The bytes of a picture; undefined if there is no such part. */
  read(part: string): Uint8Array | undefined;
}
