/** A change of one property: a Prl (MS-DOC 2.2.5.1). */
export interface PropertyChange {
  /** Number of the property with its kind and size (Sprm, 2.2.5). */
  sprm: number;
  /** The new value; the first byte of longer ones. */
  value: number;
}

/** Sizes of values in bytes, by the upper three bits of the Sprm; 0 for those that begin with their size. */
const SIZES = [1, 1, 2, 4, 2, 2, 0, 3];
/** The definition of a table row, whose size has two bytes and counts one of them. */
const TABLE_DEFINITION = 0xd608;

/** Reads a list of property changes. Damaged lists end early. */
export function* propertyChanges(list: Buffer): Generator<PropertyChange> {
  let at = 0;
  while (at + 3 <= list.length) {
    const sprm = list.readUInt16LE(at);
    at += 2;
    let size = SIZES[sprm >> 13] as number;
    const isShort = size === 2 && at + 2 <= list.length;
    yield { sprm, value: isShort ? list.readUInt16LE(at) : (list[at] as number) };
    if (size === 0) {
      const isTable = sprm === TABLE_DEFINITION && at + 2 <= list.length;
      size = isTable ? list.readUInt16LE(at) + 1 : 1 + (list[at] as number);
    }
    at += size;
  }
}
