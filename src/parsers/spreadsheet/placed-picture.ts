/** A picture on a sheet. */
export interface PlacedPicture {
  /** The row at its top, from 0. */
  row: number;
  /** Alternative text; empty if there is none. */
  alt: string;
  /** Name of the part of the archive that contains it. */
  part: string;
}
