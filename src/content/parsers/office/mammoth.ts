import { images as converters, convertToHtml } from 'mammoth';
import { toBuffer } from '../../source-text.ts';
import { type DocumentImage, imageUrl } from '../document.ts';
import { DocumentError, type DocumentFault } from '../document-error.ts';
import { toImageType } from '../image-type.ts';
import type { ZipArchive } from '../zip.ts';

/** Limits of a docx file for mammoth, which has none of its own. */
const MAX_ENTRIES = 5000;
const MAX_EXPANDED_BYTES = 100 * 1024 * 1024;

/** The warning about what mammoth loses, by the fault of anydoc. After other faults mammoth is not tried. */
const WARNINGS: Partial<Record<DocumentFault, string>> = {
  damaged: 'The document is damaged; parts of it may be missing.',
  unavailable:
    'The main parser for docx files cannot be loaded on this machine; some formatting may be missing.',
};

/** Whether mammoth may read a docx file that anydoc has not read. */
export const canReplaceAnydoc = (error: unknown): error is DocumentError =>
  error instanceof DocumentError && error.fault in WARNINGS;

/**
 * Converts a docx file with mammoth, which reads some files that anydoc rejects.
 * @param options.failure why anydoc has not read the file
 * @throws DocumentError if the archive exceeds the limits; the failure of anydoc if mammoth cannot read the
 * file either
 */
export async function convertWithMammoth(
  bytes: Uint8Array,
  archive: ZipArchive,
  { images: wantsImages, failure }: { images: boolean; failure: DocumentError },
): Promise<{ html: string; images: DocumentImage[]; warnings: string[] }> {
  if (archive.names.length > MAX_ENTRIES || archive.expandedBytes > MAX_EXPANDED_BYTES)
    throw new DocumentError('too-large', 'The expanded document is too large.', { cause: failure });
  const images: DocumentImage[] = [];
  const convertImage = converters.imgElement(async (image) => {
    const mediaType = toImageType(image.contentType);
    if (!wantsImages || !mediaType) return { src: '' };
    const id = String(images.length);
    images.push({ id, mediaType, bytes: await image.readAsBuffer() });
    return { src: imageUrl(id) };
  });
  const buffer = toBuffer(bytes);
  const { value } = await convertToHtml({ buffer }, { convertImage, externalFileAccess: false }).catch(
    (cause: unknown) => {
      throw new DocumentError(failure.fault, failure.message, { cause });
    },
  );
  const html = value.replace(/<img (?:alt="([^"]*)" )?src=""[^>]*>/g, '$1');
  return { html, images, warnings: [WARNINGS[failure.fault] ?? ''] };
}
