import type { Evidence } from './parser.ts';

/** Formats of office documents and e-books, named by their file extensions. */
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
const BY_EXTENSION: Record<string, DocumentFormat> = {
  ...Object.fromEntries(Object.values(BY_TYPE).map((format) => [format, format])),
  ...{ docm: 'docx', xlsm: 'xlsx', pptm: 'pptx' },
};

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const ZIP_END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
/** Size of the end record with the longest possible comment (64 KiB). */
const MAX_END_RECORD_BYTES = 22 + 0xffff;
/**
 * Offset of the first file's name. In OpenDocument and EPUB that file is `mimetype`, which contains the media type
 * uncompressed.
 */
const FIRST_NAME_OFFSET = 30;
const MIMETYPE = 'mimetype';
/** Names of entries that identify the Office Open XML formats. */
const BY_PART: [string, DocumentFormat][] = [
  ['word/document', 'docx'],
  ['xl/workbook', 'xlsx'],
  ['ppt/presentation', 'pptx'],
];

/** Signature of Microsoft's compound file format, and the names of its streams in UTF-16. */
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

/** The format of a document, and why it is that one. */
interface DetectedFormat {
  format: DocumentFormat;
  evidence: Evidence;
}

/**
 * Detects the office or e-book format of a body: by its bytes, else by its declared type, else, where the bytes are an
 * archive of unknown content, by the file extension.
 * @param type the media type of a `Content-Type` header without parameters, in lower case
 * @param path path of the URL
 * @returns `undefined` for any other body
 */
export function detectDocumentFormat(
  type: string,
  body: Uint8Array,
  path: string,
): DetectedFormat | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const starts = (signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);
  if (starts(RTF)) return { format: 'rtf', evidence: 'signature' };
  const declared = BY_TYPE[type];
  const isZip = starts(ZIP);
  if (!isZip && !starts(COMPOUND)) return declared && { format: declared, evidence: 'type' };
  const found = isZip ? detectZipFormat(bytes) : BY_STREAM.find(([name]) => bytes.includes(name))?.[1];
  const ending = /\.([a-z]{3,4})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const format =
    found ?? declared ?? (Object.hasOwn(BY_EXTENSION, ending) ? BY_EXTENSION[ending] : undefined);
  // The signature is that of an archive; type and extension only say which one.
  return format && { format, evidence: 'signature' };
}

function detectZipFormat(bytes: Buffer): DocumentFormat | undefined {
  const typeAt = FIRST_NAME_OFFSET + MIMETYPE.length;
  if (bytes.toString('latin1', FIRST_NAME_OFFSET, typeAt) === MIMETYPE) {
    // The entry `mimetype` has no extra field and no compression, so its content follows its name.
    const size = bytes.readUInt32LE(18);
    return BY_TYPE[bytes.toString('latin1', typeAt, typeAt + Math.min(size, 100))];
  }
  const tail = bytes.subarray(-MAX_END_RECORD_BYTES);
  const end = tail.lastIndexOf(ZIP_END_RECORD);
  if (end < 0 || end + 20 > tail.length) return undefined;
  // Only the central directory is searched: elsewhere a name may belong to an archive within this one.
  const directory = bytes.subarray(tail.readUInt32LE(end + 16), bytes.length - tail.length + end);
  return BY_PART.find(([part]) => directory.includes(part))?.[1];
}
