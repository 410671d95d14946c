import type { ConvertedDocument, DocumentTask, DocumentType } from '../document.ts';
import type { OcrSettings } from '../pdf/ocr.ts';

/** What converters have besides the document. */
export interface ConverterContext {
  /** Absent if the service has no language data. */
  ocr?: OcrSettings;
}

/**
 * Converts documents of one or more types.
 * @throws DocumentError
 */
export type Converter = (
  task: DocumentTask,
  bytes: Uint8Array,
  context: ConverterContext,
) => Promise<ConvertedDocument>;

/** The converters, which are loaded when they are needed, because a process converts documents of few types. */
export const CONVERTERS: Record<DocumentType, () => Promise<Converter>> = {
  pdf: async () => (await import('./convert-pdf.ts')).convertPdf,
};
