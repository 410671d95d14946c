import { toBuffer } from '../../source-text.ts';
import { guessWarning } from '../charsets/detect-encoding.ts';
import { isCompoundFile } from '../compound-file.ts';
import type { ConvertedDocument, DocumentMetadata, DocumentTask } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { foreignError, textStart } from '../foreign-file.ts';
import { repairNestedTables } from '../rtf/nested-tables.ts';
import { normalizeRtf } from '../rtf/normalize.ts';
import { describeImages } from '../rtf/pictures.ts';
import { readRtf } from '../rtf/read-rtf.ts';
import { rtfToUnicode } from '../rtf/to-unicode.ts';
import { blocksAsWritten } from '../rtf/written-blocks.ts';
import { isZip, ZipArchive } from '../zip.ts';
import { readModel } from './anydoc.ts';
import { refuseEncrypted } from './encryption.ts';
import { toImages } from './images.ts';
import { canReplaceAnydoc, convertWithMammoth } from './mammoth.ts';
import type { OfficeType } from './model.ts';
import { oldWordProgram, withStreamNames } from './old-word.ts';
import { readAltChunks, readChunk } from './source/alt-chunks.ts';
import { displayChartValues } from './source/chart-values.ts';
import { readDocxComments } from './source/docx-comments.ts';
import { readDocxMargins } from './source/docx-headers.ts';
import { markDocxObjects } from './source/docx-objects.ts';
import { readDocxParagraphs } from './source/docx-paragraphs.ts';
import { readMetadata } from './source/metadata.ts';
import { readOdtMargins } from './source/odt-headers.ts';
import { insertObjects, type MarkedObjects, markObjects } from './source/odt-objects.ts';
import { readOdtParagraphs } from './source/odt-paragraphs.ts';
import type { PageMargins } from './source/page-margins.ts';
import { readPptxParagraphs } from './source/pptx-paragraphs.ts';
import { replaceParts, tryReadPart } from './source/replace-parts.ts';
import { orderSlideShapes } from './source/slide-order.ts';
import type { SourceParagraph } from './source/source-paragraphs.ts';
import { addSourceProperties } from './source/source-properties.ts';
import { officeToHtml } from './to-html.ts';

/** How to convert an office document. */
export interface OfficeTask extends Pick<DocumentTask, 'images'> {
  type: OfficeType;
}

const NO_TEXT = 'The document has no text.';
const LOST_CHUNK =
  'The document includes a file in another format (altChunk) that cannot be read; its text is missing.';

/** Types that are zip archives of XML files. */
const ARCHIVES = new Set<OfficeType>(['docx', 'odt', 'pptx', 'odp', 'epub']);

/**
 * Converts an office document to HTML.
 * @param depth 1 for a document inside another one, whose own documents are left out
 * @throws DocumentError if the document needs a password, exceeds a limit or cannot be read
 */
export async function convertOffice(
  task: OfficeTask,
  bytes: Uint8Array,
  depth = 0,
): Promise<ConvertedDocument> {
  refuseEncrypted(bytes);
  const page = task.type === 'doc' ? await readPage(bytes) : undefined;
  if (page !== undefined) return { html: page, images: [], warnings: [], metadata: {} };
  refuseForeign(task.type, bytes);
  const archive = ARCHIVES.has(task.type) ? tryArchive(bytes) : undefined;
  const readable = (archive?.hasBackslashes && replaceParts(archive, new Map())) || withStreamNames(bytes);
  const unicode = task.type === 'rtf' ? rtfToUnicode(bytes) : undefined;
  const rtf = unicode && readRtf(unicode.bytes);
  const metadata = archive
    ? readMetadata(archive)
    : (rtf?.metadata ?? (await readBinaryMetadata(task.type, readable)));
  const { type } = task;
  if (type === 'epub' && archive) {
    const { convertEpub } = await import('./epub/index.ts');
    return { ...convertEpub(archive, { images: task.images, title: metadata.title }), metadata };
  }
  const chunks =
    archive && type === 'docx'
      ? await readAltChunks(archive, depth === 0 ? convertInner : refuseInner)
      : undefined;
  if (type === 'pptx' && archive) refuseEmpty(archive);
  const marked = archive && prepareArchive(archive, type, chunks?.html);
  const displayed =
    archive && (type === 'docx' || type === 'pptx')
      ? await displayChartValues(marked?.archive ?? archive)
      : undefined;
  const file = displayed ?? marked?.bytes ?? (unicode ? normalizeRtf(unicode.bytes) : readable);
  const content = await readModel(file).then(
    async (model) => {
      const guess = unicode?.guessedEncoding;
      const warnings: string[] = guess ? [guessWarning(guess)] : [];
      try {
        addSourceProperties(
          model,
          rtf?.paragraphs ??
            (await readParagraphs(task.type, { archive: marked?.archive ?? archive, bytes: readable })),
        );
        if (rtf) repairNestedTables(model.blocks, rtf.paragraphs);
        if (rtf) describeImages(model, rtf.descriptions);
        if (rtf) model.blocks = blocksAsWritten(model.blocks);
      } catch {
        // The second reader is less tolerant than anydoc, which has read the text.
        warnings.push('The document is damaged; headings, inline code and superscripts may be missing.');
      }
      const images = task.images ? toImages(model.assets) : undefined;
      const html = insertObjects(officeToHtml(model, images), marked?.objects ?? []);
      return { html, images: images ?? [], warnings };
    },
    (error: unknown) => {
      if (task.type !== 'docx' || !archive || !canReplaceAnydoc(error)) throw error;
      return convertWithMammoth(readable, archive, { images: task.images, failure: error });
    },
  );
  if (content.html.trim() === '' && content.images.length === 0) content.warnings.push(NO_TEXT);
  if (chunks?.isIncomplete) content.warnings.push(LOST_CHUNK);
  const { headers, footers } = rtf?.margins ?? readMargins(type, archive);
  const comments = archive && type === 'docx' ? readDocxComments(archive) : '';
  content.html = [headers, content.html, comments, footers].filter(Boolean).join('\n');
  return { ...content, metadata };
}

/** The headers and footers of a document in an archive. */
function readMargins(type: OfficeType, archive: ZipArchive | undefined): PageMargins {
  if (archive && type === 'docx') return readDocxMargins(archive);
  if (archive && type === 'odt') return readOdtMargins(archive);
  return { headers: '', footers: '' };
}

const convertInner = async (type: OfficeType, bytes: Uint8Array): Promise<string | undefined> => {
  try {
    return (await convertOffice({ type, images: false }, bytes, 1)).html;
  } catch (error) {
    // The document around it is readable.
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
};
const refuseInner = async () => undefined;

/**
 * Marks the formulas, charts and characters that anydoc leaves out, and puts the shapes of slides in reading
 * order.
 * @returns undefined if there is nothing to change
 */
function prepareArchive(
  archive: ZipArchive,
  type: OfficeType,
  chunks: ReadonlyMap<string, string> = new Map(),
): MarkedObjects | undefined {
  if (type === 'docx') return markDocxObjects(archive, chunks);
  if (type === 'pptx') return orderSlideShapes(archive);
  return type === 'odt' || type === 'odp' ? markObjects(archive, type) : undefined;
}

/**
 * The page that a doc file is which a program has saved as HTML or as a web archive; undefined for others.
 */
async function readPage(bytes: Uint8Array): Promise<string | undefined> {
  const start = textStart(bytes);
  const isPage = start !== undefined && /^(?:<(?:!doctype html|html|head|body)\b|mime-version:)/i.test(start);
  return isPage ? readChunk(/^m/i.test(start) ? 'a.mht' : 'a.html', bytes, refuseInner) : undefined;
}

/** @throws DocumentError if a presentation has no slides, which anydoc calls damaged */
function refuseEmpty(archive: ZipArchive): void {
  const presentation = tryReadPart(archive, 'ppt/presentation.xml', 16 * 1024 * 1024)?.toString('utf8');
  if (presentation !== undefined && !/<(?:\w+:)?sldId\s/.test(presentation))
    throw new DocumentError('unsupported', 'The presentation has no slides.');
}

/** @throws DocumentError if the bytes are not those of any file of the type */
function refuseForeign(type: OfficeType, bytes: Uint8Array): void {
  const file = toBuffer(bytes);
  const isContainer = ARCHIVES.has(type) ? isZip(bytes) : isCompoundFile(file);
  const isOwn = type === 'rtf' ? file.subarray(0, 1000).includes('{\\rtf') : isContainer;
  if (!isOwn) throw foreignError(type, bytes);
  const program = type === 'doc' ? oldWordProgram(bytes) : undefined;
  if (program)
    throw new DocumentError(
      'unsupported',
      `The document was made by ${program}, whose format is not supported. Save it as docx.`,
    );
}

/** @returns undefined if the bytes are no zip archive */
function tryArchive(bytes: Uint8Array): ZipArchive | undefined {
  try {
    return new ZipArchive(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Metadata of doc and ppt files. Its reader is loaded only for them, because it is a part of SheetJS. */
async function readBinaryMetadata(type: OfficeType, bytes: Uint8Array): Promise<DocumentMetadata> {
  if (type !== 'doc' && type !== 'ppt') return {};
  const { readSummaryInformation } = await import('./source/summary-information.ts');
  return readSummaryInformation(bytes);
}

/** Reads the properties that anydoc loses. They are read only from the formats listed here. */
async function readParagraphs(
  type: OfficeType,
  { archive, bytes }: { archive: ZipArchive | undefined; bytes: Uint8Array },
): Promise<SourceParagraph[]> {
  // Loaded only for such files, because their reader of compound files is a part of SheetJS.
  if (type === 'doc') return (await import('./doc/doc-paragraphs.ts')).readDocParagraphs(bytes);
  if (type === 'ppt') return (await import('./ppt/ppt-paragraphs.ts')).readPptParagraphs(bytes);
  if (type === 'pptx' && archive) return readPptxParagraphs(archive);
  if ((type === 'odt' || type === 'odp') && archive) return readOdtParagraphs(archive);
  return type === 'docx' && archive ? readDocxParagraphs(archive) : [];
}
