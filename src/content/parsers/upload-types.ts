import { extname } from 'node:path';
import type { DocumentType } from './document.ts';
import { findParser } from './index.ts';
import { isUndeclaredType, parseMediaType, ReceivedFile } from './received-file.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** The files that can be uploaded: media types by file extension. */
const UPLOAD_TYPES: Record<string, string> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  pdf: 'application/pdf',
  docx: `${OFFICE}.wordprocessingml.document`,
  docm: 'application/vnd.ms-word.document.macroenabled.12',
  doc: 'application/msword',
  odt: `${OPEN_DOCUMENT}.text`,
  rtf: 'application/rtf',
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  xlsb: 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
  xls: 'application/vnd.ms-excel',
  ods: `${OPEN_DOCUMENT}.spreadsheet`,
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  pptx: `${OFFICE}.presentationml.presentation`,
  pptm: 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  ppsx: `${OFFICE}.presentationml.slideshow`,
  ppt: 'application/vnd.ms-powerpoint',
  odp: `${OPEN_DOCUMENT}.presentation`,
  epub: 'application/epub+zip',
  eml: 'message/rfc822',
  msg: 'application/vnd.ms-outlook',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
};
const ACCEPTED_TYPES = new Set(Object.values(UPLOAD_TYPES));
/** Declared for files whose type the client does not know, whatever they are. */
const VAGUE_TYPES = new Set(['text/plain', 'application/zip', 'application/x-zip-compressed']);
/** Parsers of text, which accept any bytes if the type is declared. */
const TEXT_PARSERS = new Set(['html', 'feed', 'json', 'text']);

/** A kind of file that can be uploaded. */
interface UploadFormat {
  /** Its name, which is the first of its extensions. */
  format: string;
  kind: 'document' | 'image';
  /** With their dots. */
  extensions: string[];
  mimeTypes: string[];
}

/** Lists the kinds of files that can be uploaded: one for each media type. */
export const listUploadFormats = (): UploadFormat[] =>
  [...Map.groupBy(Object.entries(UPLOAD_TYPES), ([, mediaType]) => mediaType)].map(([mediaType, types]) => ({
    format: types[0]![0],
    kind: mediaType.startsWith('image/') ? 'image' : 'document',
    extensions: types.map(([extension]) => `.${extension}`),
    mimeTypes: [mediaType],
  }));

/** A sentence about the types of files that can be uploaded. */
export const ACCEPTED_FILES = `Files of these types can be parsed: ${Object.keys(UPLOAD_TYPES).join(', ')}.`;

/** The extensions of types of documents that have several. */
const EXTENSIONS: Partial<Record<DocumentType, string[]>> = {
  docx: ['docx', 'docm'],
  xlsx: ['xlsx', 'xlsm'],
  pptx: ['pptx', 'pptm', 'ppsx'],
};
/** The extensions of raster images by the first characters of their bytes. */
const IMAGE_SIGNATURES: Record<string, string> = {
  '\x89PNG': 'png',
  '\xFF\xD8\xFF': 'jpg',
  GIF8: 'gif',
  RIFF: 'webp',
  BM: 'bmp',
};

/**
 * The media type of a document.
 * @param type the type of its bytes
 * @param file the file with the declared media type, which is the result unless its bytes say otherwise
 */
export function documentMediaType(type: DocumentType, file: ReceivedFile): string {
  const { contentType, mediaType, start } = file;
  if (type === 'image') {
    if (mediaType.startsWith('image/')) return contentType;
    const signature = Object.keys(IMAGE_SIGNATURES).find((bytes) => start.startsWith(bytes)) ?? '';
    return UPLOAD_TYPES[IMAGE_SIGNATURES[signature] ?? 'tiff'] as string;
  }
  const types = (EXTENSIONS[type] ?? [type]).map((extension) => UPLOAD_TYPES[extension] as string);
  return types.includes(mediaType) ? contentType : (types[0] as string);
}

/** The media type of an uploaded file by its name; `undefined` for a name without a known extension. */
function typeByName(name: string): string | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return Object.hasOwn(UPLOAD_TYPES, extension) ? UPLOAD_TYPES[extension] : undefined;
}

/**
 * Whether a file that is going to be uploaded can be of a type that is parsed, as far as its name and
 * declared type say. A file whose name says nothing of its type needs one that is declared, or no extension.
 * @param upload.contentType the type that the client declares; empty if it declares none
 */
export function mayAcceptUpload({ name, contentType }: { name: string; contentType: string }): boolean {
  const mediaType = parseMediaType(contentType);
  if (typeByName(name) || ACCEPTED_TYPES.has(mediaType)) return true;
  const isVague = isUndeclaredType(mediaType) || VAGUE_TYPES.has(mediaType);
  return isVague && !extname(name);
}

/** The media types of archives, which those of office documents and books consist of. */
const ARCHIVE_TYPES = new Set(['application/zip', 'application/x-zip-compressed']);
const ARCHIVED_DOCUMENT = /openxmlformats|macroenabled|opendocument|epub/;

/**
 * Finds out whether the declared type of a file and its name are about files of two types.
 * @param upload.contentType the type that the client declares; empty if it declares none
 * @returns the type that the name says; `undefined` if the two agree, or one of them says nothing
 */
export function typeAgainstDeclared({
  name,
  contentType,
}: {
  name: string;
  contentType: string;
}): string | undefined {
  const mediaType = parseMediaType(contentType);
  const named = typeByName(name);
  if (!named || named === mediaType) return undefined;
  const isOther = ARCHIVE_TYPES.has(mediaType)
    ? !ARCHIVED_DOCUMENT.test(named)
    : ACCEPTED_TYPES.has(mediaType);
  return isOther ? named : undefined;
}

/**
 * Determines whether an uploaded file is of a type that can be parsed: by the signature in its bytes, else by
 * its declared type or the extension of its name.
 * @param upload.contentType the type that the client declared; empty if it declared none
 * @returns the file with its most specific type; `undefined` if it is of no such type
 */
export function acceptUpload(upload: {
  url: string;
  name: string;
  contentType: string;
  body: Uint8Array;
}): ReceivedFile | undefined {
  const declared = new ReceivedFile(upload);
  const isVague = declared.isUndeclared || VAGUE_TYPES.has(declared.mediaType);
  const named = typeByName(upload.name);
  const charset = /;\s*charset\s*=[^;]+/i.exec(upload.contentType)?.[0] ?? '';
  const file =
    isVague && named ? new ReceivedFile({ ...upload, contentType: `${named}${charset}` }) : declared;
  const parser = findParser(file);
  if (!parser) return undefined;
  const isText = TEXT_PARSERS.has(parser.type);
  if (isText && !file.isTextual) return undefined;
  const hasSignature = parser.detect(file) === 'signature';
  return hasSignature || named || ACCEPTED_TYPES.has(file.mediaType) ? file : undefined;
}
