import { toBuffer } from '../source-text.ts';
import { CompoundFile, isCompoundFile } from './compound-file.ts';
import type { DocumentType } from './document.ts';
import type { Evidence } from './parser.ts';
import type { ReceivedFile } from './received-file.ts';

/** Types of office documents, e-books and mails. Variants with macros belong to the type without. */
type OfficeType = Exclude<DocumentType, 'pdf'>;

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

const BY_MEDIA_TYPE: Record<string, OfficeType> = {
  [`${OFFICE}.wordprocessingml.document`]: 'docx',
  [`${OFFICE}.spreadsheetml.sheet`]: 'xlsx',
  [`${OFFICE}.presentationml.presentation`]: 'pptx',
  [`${OFFICE}.presentationml.slideshow`]: 'pptx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-excel.sheet.binary.macroenabled.12': 'xlsb',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  [`${OPEN_DOCUMENT}.text`]: 'odt',
  [`${OPEN_DOCUMENT}.spreadsheet`]: 'ods',
  [`${OPEN_DOCUMENT}.presentation`]: 'odp',
  'application/epub+zip': 'epub',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.ms-outlook': 'msg',
  'application/rtf': 'rtf',
  'application/x-rtf': 'rtf',
  'text/rtf': 'rtf',
  'message/rfc822': 'eml',
  'text/csv': 'csv',
  'text/x-csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
};
const BY_EXTENSION: Record<string, OfficeType> = {
  ...Object.fromEntries(Object.values(BY_MEDIA_TYPE).map((type) => [type, type])),
  docm: 'docx',
  xlsm: 'xlsx',
  pptm: 'pptx',
  ppsx: 'pptx',
};
/**
 * Types of text files, which have no signature: only their media type or their name tells them from other
 * text.
 */
const TEXT_TYPES = new Set<DocumentType>(['csv', 'tsv', 'eml']);

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const ZIP_END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
/** Size of the end record with the longest possible comment (64 KiB). */
const MAX_END_RECORD_BYTES = 22 + 0xffff;
/**
 * Offset of the first file's name. In OpenDocument and EPUB that file is `mimetype`, which contains the media
 * type uncompressed.
 */
const FIRST_NAME_OFFSET = 30;
const MIMETYPE = 'mimetype';
/** Names of entries that identify the Office Open XML formats. */
const BY_PART: [string, OfficeType][] = [
  ['word/document', 'docx'],
  ['xl/workbook.bin', 'xlsb'],
  ['xl/workbook', 'xlsx'],
  ['ppt/presentation', 'pptx'],
];

/** Names of streams that identify the formats in compound files. */
const BY_STREAM: [string, OfficeType][] = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
  ['__properties_version1.0', 'msg'],
];
/** The stream of an encrypted Office Open XML document (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED_PACKAGE = 'EncryptedPackage';

const RTF = Buffer.from('{\\rtf');

/** The type of a document, and why it is that one. */
interface DetectedFormat {
  type: OfficeType;
  evidence: Evidence;
}

type FileFacts = Pick<ReceivedFile, 'mediaType' | 'body' | 'name' | 'start' | 'isTextual' | 'isUndeclared'>;

/**
 * Detects an office document, e-book or mail: by its bytes, else by its declared type, else, where the bytes
 * are those of a container of unknown content or a text, by the file extension.
 * @returns `undefined` for any other file
 */
export function detectDocumentFormat(file: FileFacts): DetectedFormat | undefined {
  const { body } = file;
  const bytes = toBuffer(body);
  const starts = (signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);
  if (starts(RTF)) return { type: 'rtf', evidence: 'signature' };
  const isZip = starts(ZIP);
  if (!isZip && !isCompoundFile(bytes)) return detectWithoutSignature(file);
  const hint = declaredType(file) ?? namedType(file);
  const type = (isZip ? detectZipFormat(bytes) : detectCompoundFormat(bytes, hint)) ?? hint;
  // The signature is that of a container; media type and extension only say which one. No text begins with
  // it.
  return type && !TEXT_TYPES.has(type) ? { type, evidence: 'signature' } : undefined;
}

const declaredType = ({ mediaType }: FileFacts): OfficeType | undefined =>
  Object.hasOwn(BY_MEDIA_TYPE, mediaType) ? BY_MEDIA_TYPE[mediaType] : undefined;

function namedType({ name }: FileFacts): OfficeType | undefined {
  const ending = /\.([a-z]{3,4})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, ending) ? BY_EXTENSION[ending] : undefined;
}

function detectWithoutSignature(file: FileFacts): DetectedFormat | undefined {
  const declared = declaredType(file);
  const named = namedType(file);
  const isNamedText = named && TEXT_TYPES.has(named) && file.isTextual;
  // Servers send tables in text as workbooks of Excel, because Excel opens both.
  if (isNamedText && (declared === 'xls' || file.isUndeclared || file.mediaType === 'text/plain'))
    return { type: named, evidence: 'type' };
  if (declared)
    return TEXT_TYPES.has(declared) && !file.isTextual ? undefined : { type: declared, evidence: 'type' };
  return file.isUndeclared && file.isTextual && isMail(file.start)
    ? { type: 'eml', evidence: 'content' }
    : undefined;
}

/** Whether a text begins with header fields (RFC 5322), at least two of which only mails have. */
function isMail(start: string): boolean {
  const names = new Set<string>();
  for (const line of start.split(/\r?\n/)) {
    const name = /^([!-9;-~]+):/.exec(line)?.[1];
    if (name) names.add(name.toLowerCase());
    else if (!/^[ \t]+\S/.test(line)) break;
  }
  const known = ['from', 'to', 'received', 'return-path', 'message-id', 'mime-version', 'date', 'subject'];
  return names.has('from') && known.filter((name) => names.has(name)).length >= 3;
}

function detectZipFormat(bytes: Buffer): OfficeType | undefined {
  const typeAt = FIRST_NAME_OFFSET + MIMETYPE.length;
  if (bytes.toString('latin1', FIRST_NAME_OFFSET, typeAt) === MIMETYPE) {
    // The entry `mimetype` has no extra field and no compression, so its content follows its name.
    const size = bytes.readUInt32LE(18);
    const mediaType = bytes.toString('latin1', typeAt, typeAt + Math.min(size, 100)).trim();
    return BY_MEDIA_TYPE[mediaType.replace(/-template$/, '')];
  }
  const tail = bytes.subarray(-MAX_END_RECORD_BYTES);
  const end = tail.lastIndexOf(ZIP_END_RECORD);
  if (end < 0 || end + 20 > tail.length) return undefined;
  // Only the central directory is searched: elsewhere a name may belong to an archive within this one.
  const directory = bytes.subarray(tail.readUInt32LE(end + 16), bytes.length - tail.length + end);
  const withBackslashes = (part: string) => directory.includes(part.replaceAll('/', '\\'));
  return BY_PART.find(([part]) => directory.includes(part) || withBackslashes(part))?.[1];
}

/** @param hint the type that the sender declares, for an encrypted document, whose bytes do not say it */
function detectCompoundFormat(bytes: Buffer, hint: OfficeType | undefined): OfficeType | undefined {
  // Names that differ in case are equal in this format (MS-CFB 2.6.4).
  const names = topLevelNames(bytes).map((name) => name.toLowerCase());
  if (names.includes(ENCRYPTED_PACKAGE.toLowerCase())) return hint ?? 'docx';
  const found = BY_STREAM.find(([name]) => names.includes(name.toLowerCase()));
  if (found || names.length > 0) return found?.[1];
  // The directory of a truncated file may be lost, but part of it may still be among the bytes.
  return BY_STREAM.find(([name]) => bytes.includes(Buffer.from(`${name}\0`, 'utf16le')))?.[1];
}

function topLevelNames(bytes: Buffer): string[] {
  try {
    return new CompoundFile(bytes).topLevelNames;
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
