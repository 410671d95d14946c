import { readRecords } from '../office/ppt/records.ts';
import type { PictureSource, PlacedPicture } from './placed-picture.ts';
import { readXlsRecords } from './xls-records.ts';

/** The types of records of a workbook that matter (MS-XLS 2.3.2). */
const RECORDS = {
  begin: 0x0809,
  end: 0x000a,
  sheet: 0x0085,
  continuation: 0x003c,
  pictures: 0x00eb,
  drawing: 0x00ec,
} as const;
/** The types of records of pictures and drawings that matter (MS-ODRAW 2.1.2). */
const DRAWING = { picture: 0xf007, shape: 0xf004, properties: 0xf00b, anchor: 0xf010 } as const;
/**
 * The endings of names of files by the types of their records. Metafiles, which are compressed, are not read.
 */
const ENDINGS = new Map([
  [0xf01d, '.jpeg'],
  [0xf01e, '.png'],
  [0xf029, '.tiff'],
  [0xf02a, '.jpeg'],
]);
/** Bytes before the name of a picture (MS-ODRAW 2.2.32), and the place of the length of that name in them. */
const PICTURE_BYTES = 36;
const NAME_LENGTH_OFFSET = 33;
/** A checksum of the picture; the instance is odd where there are two. One byte follows. */
const CHECKSUM_BYTES = 16;
/**
 * The properties of shapes that matter: the number of their picture, from 1, and their alternative text
 * (MS-ODRAW 2.3).
 */
const PICTURE_NUMBER = 0x0104;
const DESCRIPTION = 0x0381;
const PROPERTY_BYTES = 6;
const IS_COMPLEX = 0x8000;
const PROPERTY_MASK = 0x3fff;
/** The place of the row in an anchor (MS-XLS 2.5.193). */
const ROW_OFFSET = 6;

/**
 * The pictures of a workbook of Excel 97 to 2003.
 * @param stream the stream with the records of the workbook
 */
export function xlsPictures(stream: Buffer): PictureSource {
  const { pictures, drawings } = collectDrawings(stream);
  const parts = readFiles(pictures);
  return {
    readSheets: () => {
      const names = [...parts.keys()];
      return new Map([...drawings].map(([name, drawing]) => [name, readShapes(drawing, names)]));
    },
    read: (part) => parts.get(part),
  };
}

/** Joins the parts of the pictures and of the drawings of each sheet, which are spread over many records. */
function collectDrawings(stream: Buffer): { pictures: Buffer; drawings: Map<string, Buffer> } {
  const pictures: Buffer[] = [];
  const drawings = new Map<string, Buffer[]>();
  /** The names of the sheets by the places where they begin in the stream. */
  const names = new Map<number, string>();
  let sheet: Buffer[] = [];
  /** Charts on a sheet have records with a beginning and an end of their own. */
  let depth = 0;
  let continued: Buffer[] | undefined;
  for (const { at, type, content } of readXlsRecords(stream)) {
    if (type === RECORDS.sheet && content.length >= 8) names.set(content.readUInt32LE(0), readName(content));
    if (type === RECORDS.begin && depth++ === 0) {
      sheet = [];
      const name = names.get(at);
      if (name !== undefined) drawings.set(name, sheet);
    }
    if (type === RECORDS.end) depth = Math.max(0, depth - 1);
    if (type === RECORDS.pictures) continued = pictures;
    else if (type === RECORDS.drawing && depth === 1) continued = sheet;
    else if (type !== RECORDS.continuation) continued = undefined;
    continued?.push(content);
  }
  return {
    pictures: Buffer.concat(pictures),
    drawings: new Map([...drawings].map(([name, parts]) => [name, Buffer.concat(parts)])),
  };
}

/** The name in a record of the list of sheets (BoundSheet8, MS-XLS 2.4.28). */
function readName(content: Buffer): string {
  const isWide = ((content[7] ?? 0) & 1) === 1;
  const end = 8 + (content[6] ?? 0) * (isWide ? 2 : 1);
  return content.toString(isWide ? 'utf16le' : 'latin1', 8, end);
}

/** The files of the pictures by names of our own, in their order; those that are not read are empty. */
function readFiles(pictures: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { type, content } of readRecords(pictures)) {
    if (type !== DRAWING.picture) continue;
    const start = PICTURE_BYTES + (content[NAME_LENGTH_OFFSET] ?? 0);
    const [file] = readRecords(content.subarray(start));
    const ending = file && ENDINGS.get(file.type);
    const checksums = file && (file.instance & 1) === 1 ? 2 : 1;
    files.set(
      `${files.size + 1}${ending ?? ''}`,
      ending ? file.content.subarray(checksums * CHECKSUM_BYTES + 1) : Buffer.alloc(0),
    );
  }
  return files;
}

/** The shapes of a sheet that are pictures. */
function readShapes(drawing: Buffer, names: readonly string[]): PlacedPicture[] {
  const shapes: (Properties & { row: number })[] = [];
  // The shapes of a group have no row of their own.
  let row = 0;
  for (const { type, instance, content } of readRecords(drawing)) {
    if (type === DRAWING.shape) shapes.push({ row, alt: '' });
    const shape = shapes.at(-1);
    if (!shape) continue;
    if (type === DRAWING.properties) Object.assign(shape, readProperties(content, instance));
    if (type === DRAWING.anchor && content.length >= ROW_OFFSET + 2) {
      row = content.readUInt16LE(ROW_OFFSET);
      shape.row = row;
    }
  }
  return shapes.flatMap(({ row, alt, picture }) => {
    const part = picture === undefined ? undefined : names[picture - 1];
    return part === undefined ? [] : [{ row, alt, part }];
  });
}

interface Properties {
  /** The number of the picture, from 1. */
  picture?: number;
  alt: string;
}

/** Reads the properties of a shape (OfficeArtFOPT, MS-ODRAW 2.2.9). Long values are behind all properties. */
function readProperties(content: Buffer, count: number): Properties {
  const properties: Properties = { alt: '' };
  let valuesAt = count * PROPERTY_BYTES;
  for (
    let at = 0;
    at < count * PROPERTY_BYTES && at + PROPERTY_BYTES <= content.length;
    at += PROPERTY_BYTES
  ) {
    const kind = content.readUInt16LE(at);
    const value = content.readUInt32LE(at + 2);
    if ((kind & PROPERTY_MASK) === PICTURE_NUMBER) properties.picture = value;
    if ((kind & IS_COMPLEX) === 0) continue;
    if ((kind & PROPERTY_MASK) === DESCRIPTION)
      properties.alt = content.toString('utf16le', valuesAt, valuesAt + value).replace(/\0+$/, '');
    valuesAt += value;
  }
  return properties;
}
