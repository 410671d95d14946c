/** Office files and books, by the usual ending of their names. */
type DocumentFormat =
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'epub'
  | 'doc'
  | 'xls'
  | 'ppt'
  | 'rtf';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

const BY_TYPE: Record<string, DocumentFormat> = {
  [`${OFFICE}.wordprocessingml.document`]: 'docx',
  [`${OFFICE}.spreadsheetml.sheet`]: 'xlsx',
  [`${OFFICE}.presentationml.presentation`]: 'pptx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  [`${OPEN_DOCUMENT}.text`]: 'odt',
  [`${OPEN_DOCUMENT}.spreadsheet`]: 'ods',
  [`${OPEN_DOCUMENT}.presentation`]: 'odp',
  'application/epub+zip': 'epub',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/rtf': 'rtf',
  'application/x-rtf': 'rtf',
  'text/rtf': 'rtf',
};
const BY_ENDING: Record<string, DocumentFormat> = {
  ...Object.fromEntries(Object.values(BY_TYPE).map((format) => [format, format])),
  ...{ docm: 'docx', xlsm: 'xlsx', pptm: 'pptx' },
};

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const END_OF_ZIP = Buffer.from('PK\x05\x06', 'latin1');
/** A comment of at most 64 KiB may follow the end record. */
const MOST_AFTER_END = 22 + 0xffff;
/** Where the name of the first file begins, and in OpenDocument and EPUB its content: the type, as it is. */
const FIRST_NAME = 30;
const MIMETYPE = 'mimetype';
/** The part that is in each file of a format. */
const BY_PART: [string, DocumentFormat][] = [
  ['word/document', 'docx'],
  ['xl/workbook', 'xlsx'],
  ['ppt/presentation', 'pptx'],
];

/** Microsoft's compound file, and the streams in it by their names in UTF-16. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const BY_STREAM = (
  [
    ['WordDocument', 'doc'],
    ['Workbook', 'xls'],
    ['Book', 'xls'],
    ['PowerPoint Document', 'ppt'],
  ] as const
).map(([name, format]) => [Buffer.from(`${name}\0`, 'utf16le'), format] as const);

const RTF = Buffer.from('{\\rtf');

/**
 * Which office format or book a body is: by its bytes where they tell, else by its type, else, where both only say
 * that it is some file, by the ending of its name. `undefined` for all else.
 * @param type the type of a `Content-Type` header without parameters, in lower case
 * @param path of the address
 */
export function documentFormat(type: string, body: Uint8Array, path: string): DocumentFormat | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const starts = (signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);
  if (starts(RTF)) return 'rtf';
  const declared = BY_TYPE[type];
  const isZip = starts(ZIP);
  if (!isZip && !starts(COMPOUND)) return declared;
  const found = isZip ? formatInZip(bytes) : BY_STREAM.find(([name]) => bytes.includes(name))?.[1];
  const ending = /\.([a-z]{3,4})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return found ?? declared ?? (Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined);
}

function formatInZip(bytes: Buffer): DocumentFormat | undefined {
  const typeAt = FIRST_NAME + MIMETYPE.length;
  if (bytes.toString('latin1', FIRST_NAME, typeAt) === MIMETYPE) {
    // The length of an extra field stands before the name; this file has none, and no compression.
    const size = bytes.readUInt32LE(18);
    return BY_TYPE[bytes.toString('latin1', typeAt, typeAt + Math.min(size, 100))];
  }
  const tail = bytes.subarray(-MOST_AFTER_END);
  const end = tail.lastIndexOf(END_OF_ZIP);
  if (end < 0 || end + 20 > tail.length) return undefined;
  // Names in the directory are those of this archive; elsewhere they may be of an archive within it.
  const directory = bytes.subarray(tail.readUInt32LE(end + 16), bytes.length - tail.length + end);
  return BY_PART.find(([part]) => directory.includes(part))?.[1];
}
