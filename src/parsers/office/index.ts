import { toDocument } from '@firecrawl/anydoc';
import { readRtfParagraphs } from '../rtf/paragraphs.ts';
import { ZipArchive } from '../zip.ts';
import { readDocxParagraphs } from './docx-paragraphs.ts';
import { OfficeError, refuseEncrypted, toOfficeError } from './errors.ts';
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
 * @throws OfficeError if the document needs a password, is too large or cannot be read
 */
export async function parseOffice(bytes: Uint8Array, format: OfficeFormat): Promise<OfficeDocument> {
  if (format === 'docx') refuseEncrypted(bytes);
  const archive = format === 'docx' || format === 'odt' ? tryArchive(bytes) : undefined;
  const metadata = archive ? tryMetadata(archive) : {};
  let model: OfficeModel;
  try {
    model = (await toDocument(bytes)) as unknown as OfficeModel;
  } catch (error) {
    const failure = toOfficeError(error);
    if (failure.fault !== 'damaged' || format !== 'docx' || !archive) throw failure;
    return { ...(await readDamagedDocx(bytes, archive, failure)), metadata };
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

async function readDamagedDocx(bytes: Uint8Array, archive: ZipArchive, failure: OfficeError) {
  if (archive.names.length > MAX_MAMMOTH_ENTRIES || archive.expandedBytes > MAX_MAMMOTH_BYTES)
    throw new OfficeError('too-large', 'The expanded document is too large.', { cause: failure });
  const warnings = ['The document is damaged; parts of it may be missing.'];
  return {
    ...(await convertWithMammoth(bytes).catch(() => {
      throw failure;
    })),
    warnings,
  };
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
