import type { DocumentPage } from '../snapshot.ts';

/** The types of files that are converted in the sandbox, named by their file extensions. */
const DOCUMENT_TYPES = [
  ...(['pdf', 'image'] as const),
  ...(['docx', 'doc', 'odt', 'rtf'] as const),
  ...(['xlsx', 'xlsb', 'xls', 'ods', 'csv', 'tsv'] as const),
  ...(['pptx', 'ppt', 'odp', 'epub', 'eml', 'msg'] as const),
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** How to convert a document. It is plain data, which is sent to the sandbox as JSON. */
export interface DocumentTask {
  type: DocumentType;
  /** Whether to return the images inside the document. */
  images: boolean;
  /** Options for PDF files. */
  pdf?: PdfTask;
  /** The encoding by which a text was decoded, if that was a guess. */
  guessedEncoding?: string;
  /** Maximum number of pages of a TIFF file to read; absent if only the parser limits it. */
  maxImagePages?: number;
}

/** Options for PDF files; see the option `parsers` of the API. */
export interface PdfTask {
  mode: 'fast' | 'auto' | 'ocr';
  /** Maximum number of pages to read, beginning with the first one. */
  maxPages: number;
  /** Whether to return the pages one by one, too. */
  pages: boolean;
  /** Numbers of the pages to return pictures of, which need `pages`; absent for none. */
  pageImages?: number[];
}

/** The URL by which the HTML of a converted document refers to an image inside it. */
export const imageUrl = (id: string) => `document-image:${id}`;

/** Every such URL in HTML. */
export const IMAGE_URLS = /\bdocument-image:[\w.-]+/g;

/** The types of images that are taken from documents. Browsers execute some others, such as SVG. */
export const IMAGE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/tiff',
  'image/x-emf',
  'image/x-wmf',
] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** A document as it was received, and how to convert it. */
export interface UnconvertedDocument {
  task: DocumentTask;
  bytes: Uint8Array;
}

/** An image inside a document. */
export interface DocumentImage {
  /**
   * Unique in the document, of letters, digits, `.`, `_` and `-`. The HTML refers to it by {@link imageUrl}.
   */
  id: string;
  mediaType: ImageType;
  bytes: Uint8Array;
}

/** The metadata of a document. Dates are in ISO 8601; unknown fields are absent. */
export interface DocumentMetadata {
  title?: string;
  author?: string;
  subject?: string;
  keywords?: string;
  language?: string;
  publishedTime?: string;
  modifiedTime?: string;
}

/** A converted document. Except for the images it is plain data, which the sandbox returns as JSON. */
export interface ConvertedDocument {
  /** The content as HTML without a head. */
  html: string;
  metadata: DocumentMetadata;
  /** The pages that were read, if the task asks for them. */
  pages?: DocumentPage[];
  /** Number of pages that were read; absent for types without pages. */
  numPages?: number;
  /** Number of pages of the file; absent for types without pages. */
  totalPages?: number;
  images: DocumentImage[];
  /** Sentences for the user about content that is missing or unreliable. */
  warnings: string[];
}

/** How far a conversion is. */
export interface ConversionProgress {
  pagesDone: number;
  /** Number of pages to read; absent if it is not known, or the type has no pages. */
  pages?: number;
}

/** How a conversion runs. */
export interface ConversionOptions {
  /** Ends the conversion; its reason is thrown. */
  signal: AbortSignal;
  /** On whose behalf it runs, such as a team. The owners take turns. */
  owner: string;
  /** Whose document it is. A process converts those of one tenant only; the owner by default. */
  tenant?: string;
  /** Called when the conversion begins, and after each page of a document whose pages take long. */
  onProgress?: ((progress: ConversionProgress) => void) | undefined;
}

/**
 * Converts a document in the sandbox.
 * @throws ServiceError `SCRAPE_DOCUMENT_ENCRYPTED`, `SCRAPE_DOCUMENT_UNREADABLE`; the reason of the signal
 */
export type ConvertDocument = (
  task: DocumentTask,
  bytes: Uint8Array,
  options: ConversionOptions,
) => Promise<ConvertedDocument>;
