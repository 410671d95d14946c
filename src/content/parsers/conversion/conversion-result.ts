import { z } from 'zod';
import { SandboxError } from '../../../system/sandbox/sandbox-error.ts';
import { type ConversionProgress, type ConvertedDocument, IMAGE_TYPES } from '../document.ts';
import { DOCUMENT_FAULTS, type DocumentFault } from '../document-error.ts';

const text = z.string().optional();

const page = z.object({
  number: z.int(),
  width: z.number(),
  height: z.number(),
  status: z.enum(['ok', 'partial', 'failed']),
  html: z.string(),
  image: z.string().optional(),
  blocks: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      label: z.string().nullable(),
      bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      content: z.string(),
      readingOrder: z.int(),
      source: z.enum(['native_text', 'ocr']),
      ocrConfidence: z.number().nullable(),
    }),
  ),
});

/**
 * The result of a process that converts documents. A document may have taken control of it, so this is
 * checked; the types of images are a list, because browsers execute some types.
 */
const result = z.union([
  z.object({
    document: z.object({
      html: z.string(),
      metadata: z.object({
        title: text,
        author: text,
        subject: text,
        keywords: text,
        language: text,
        publishedTime: text,
        modifiedTime: text,
      }),
      pages: z.array(page).optional(),
      numPages: z.int().min(0).optional(),
      totalPages: z.int().min(0).optional(),
      images: z.array(
        z.object({
          id: z.string().regex(/^[\w.-]+$/),
          mediaType: z.enum(IMAGE_TYPES),
        }),
      ),
      warnings: z.array(z.string()),
    }),
  }),
  z.object({
    failure: z.object({ fault: z.enum(DOCUMENT_FAULTS), message: z.string() }),
  }),
]);

/** The document, or why it cannot be converted. */
type ConversionResult =
  | { document: ConvertedDocument }
  | { failure: { fault: DocumentFault; message: string } };

/**
 * Checks the result of a conversion.
 * @param parts the bytes of the images
 * @throws SandboxError `output` if it is not a result
 */
export function readConversionResult(header: unknown, parts: readonly Uint8Array[]): ConversionResult {
  const { data, error } = result.safeParse(header);
  if (!data) throw new SandboxError('output', 'it returned something that is no document', error.message);
  if ('failure' in data) return data;
  const { images, ...document } = data.document;
  return {
    document: {
      ...document,
      images: images.map((image, place) => ({ ...image, bytes: parts[place] ?? new Uint8Array() })),
    },
  };
}

const progress = z.object({ pagesDone: z.int().min(0), pages: z.int().min(1) });

/** Checks a report on the progress of a conversion. @returns `undefined` for anything else */
export const readProgress = (report: unknown): ConversionProgress | undefined =>
  progress.safeParse(report).data;
