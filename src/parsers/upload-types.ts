import { extname } from 'node:path';
import { findParser } from './index.ts';
import { ReceivedFile } from './received-file.ts';

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

/** A sentence about the types of files that can be uploaded. */
export const ACCEPTED_FILES = `Files of these types can be parsed: ${Object.keys(UPLOAD_TYPES).join(', ')}.`;

/** The media type of an uploaded file by its name; `undefined` for a name without a known extension. */
function typeByName(name: string): string | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return Object.hasOwn(UPLOAD_TYPES, extension) ? UPLOAD_TYPES[extension] : undefined;
}

/**
 * Determines whether an uploaded file is of a type that can be parsed: by the signature in its bytes, else by its declared
 * type or the extension of its name.
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
