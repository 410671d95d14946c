import { DocumentError, type DocumentFault } from '../document-error.ts';
import { readRtfParagraphs } from '../rtf/paragraphs.ts';
import { ZipArchive } from '../zip.ts';
import { readModel } from './anydoc.ts';
import { readDocxParagraphs } from './docx-paragraphs.ts';
import { refuseEncrypted } from './encryption.ts';
import { convertWithMammoth } from './mammoth.ts';
import { type OfficeMetadata, readMetadata } from './metadata.ts';
import type { Asset, OfficeModel } from './model.ts';
import { readOdtParagraphs } from './odt-paragraphs.ts';
import { addSourceProperties, type SourceParagraph } from './source-paragraphs.ts';
import { toHtml } from './to-html.ts';

/** Formats of text documents. A docm file is a `docx`. */
export type OfficeFormat = 'docx' | 'doc' | 'odt' | 'rtf';

export interface OfficeDocument {
  html: string;
  metadata: OfficeMetadata;
  /** Images, to which the HTML refers by URLs of the form `office-image:<id>`. */
  images: Asset[];
  /** English sentences about content that is missing or unreliable. */
  warnings: string[];
}

/** Limits of a docx file for mammoth, which has none of its own. */
const MAX_MAMMOTH_ENTRIES = 5000;
const MAX_MAMMOTH_BYTES = 100 * 1024 * 1024;

/**
 * Converts a text document to HTML.
 * @throws DocumentError if the document needs a password, is too large or cannot be read
 */
export async function parseOffice(bytes: Uint8Array, format: OfficeFormat): Promise<OfficeDocument> {
  if (format === 'docx') refuseEncrypted(bytes);
  const archive = format === 'docx' || format === 'odt' ? tryArchive(bytes) : undefined;
  const metadata = archive ? tryMetadata(archive) : {};
  let model: OfficeModel;
  try {
    model = await readModel(bytes);
  } catch (error) {
    if (!(error instanceof DocumentError) || format !== 'docx' || !archive) throw error;
    return { ...(await readWithMammoth(bytes, archive, error)), metadata };
  }
  const warnings: string[] = [];
  try {
    addSourceProperties(model, readParagraphs(bytes, format, archive));
  } catch {
    warnings.push('The document is damaged; headings, inline code and superscripts may be missing.');
  }
  return { html: toHtml(model), metadata, images: model.assets, warnings };
}

/** @returns undefined if the bytes are no zip archive: an encrypted docx file is a compound file */
function tryArchive(bytes: Uint8Array): ZipArchive | undefined {
  try {
    return new ZipArchive(bytes);
  } catch {
    return undefined;
  }
}

function tryMetadata(archive: ZipArchive): OfficeMetadata {
  try {
    return readMetadata(archive);
  } catch {
    return {};
  }
}

/** Why mammoth reads a document, by the fault of anydoc; it reads no document with another fault. */
const MAMMOTH_WARNINGS: Partial<Record<DocumentFault, string>> = {
  damaged: 'The document is damaged; parts of it may be missing.',
  unavailable: 'The main parser for this type is not available on this machine; layout may be missing.',
};

async function readWithMammoth(bytes: Uint8Array, archive: ZipArchive, failure: DocumentError) {
  const warning = MAMMOTH_WARNINGS[failure.fault];
  if (!warning) throw failure;
  if (archive.names.length > MAX_MAMMOTH_ENTRIES || archive.expandedBytes > MAX_MAMMOTH_BYTES)
    throw new DocumentError('too-large', 'The expanded document is too large.', { cause: failure });
  try {
    return { ...(await convertWithMammoth(bytes)), warnings: [warning] };
  } catch (cause) {
    throw new DocumentError(failure.fault, failure.message, { cause });
  }
}

/** Reads the properties that anydoc loses. They are not read from the binary format `doc`. */
function readParagraphs(
  bytes: Uint8Array,
  format: OfficeFormat,
  archive: ZipArchive | undefined,
): SourceParagraph[] {
  if (format === 'rtf') return readRtfParagraphs(bytes);
  if (!archive) return [];
  return format === 'odt' ? readOdtParagraphs(archive) : readDocxParagraphs(archive);
}
