import type { ConversionProgress, ConvertedDocument, DocumentTask } from '../document.ts';
import type { OcrSettings } from '../pdf/ocr/english-data.ts';

/** Settings of the service that converters use. */
export interface ConverterSettings {
  /** Absent if the service has no language data. */
  ocr?: OcrSettings;
}

/** The input of a converter in addition to the document. */
export interface ConverterContext extends ConverterSettings {
  /** Tells the service how far the conversion is. */
  report(progress: Required<ConversionProgress>): void;
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
