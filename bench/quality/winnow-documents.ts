import { removeElement } from 'domutils';
import { toMarkdown } from '../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { selectElements } from '../../src/content/html/selector.ts';
import { CONVERTERS } from '../../src/content/parsers/conversion/converters.ts';
import { createDocumentConverter } from '../../src/content/parsers/conversion/document-converter.ts';
import type { ConvertDocument, DocumentTask, DocumentType } from '../../src/content/parsers/document.ts';

/** The result of converting a file. */
export interface ConvertedFile {
  /** Absent if the document could not be converted. */
  markdown?: string;
  /** Number of pages of a PDF, if the converter tells it. */
  pages?: number;
}

/**
 * How Winnow is measured: in a sandboxed process as in the service, without the sandbox, or with OCR in the
 * sandbox.
 */
export const WINNOW_VARIANTS = ['Winnow', 'Winnow without its sandbox', 'Winnow with OCR'] as const;
/** What the service leaves out by default: the running heads and page numbers that say nothing new. */
const REPEATED_HEADS = '[data-page-role]:not([data-only-place])';

export type WinnowVariant = (typeof WINNOW_VARIANTS)[number];

/**
 * Opens our converter.
 * @param directory for the language data of OCR
 * @returns a function that converts a document by the extension of its name
 */
export async function openWinnow(
  variant: WinnowVariant,
  directory: string,
): Promise<(bytes: Buffer, extension: string) => Promise<ConvertedFile>> {
  const convert = variant === 'Winnow without its sandbox' ? convertDirectly : await openSandboxed(directory);
  const mode = variant === 'Winnow with OCR' ? 'auto' : 'fast';
  return async (bytes, extension) => {
    const task: DocumentTask = {
      type: typeOf(extension),
      images: false,
      pdf: { mode, maxPages: 10_000, pages: false },
    };
    const { html, numPages } = await convert(task, bytes, {
      signal: AbortSignal.timeout(600_000),
      owner: '',
    });
    const document = parseHtml(html);
    for (const head of selectElements(REPEATED_HEADS, document)) removeElement(head);
    const markdown = toMarkdown(document, { removeBase64Images: false, tidy: true });
    return { markdown, ...(numPages && { pages: numPages }) };
  };
}

function typeOf(extension: string): DocumentType {
  if (extension === 'png') return 'image';
  // The files of the kit have these types, and one is an xlsm file.
  return (extension === 'xlsm' ? 'xlsx' : extension) as DocumentType;
}

const convertDirectly: ConvertDocument = async (task, bytes) =>
  (await CONVERTERS[task.type]())(task, bytes, { report: () => undefined });

async function openSandboxed(cacheDir: string): Promise<ConvertDocument> {
  const log = (details: unknown, event?: string) =>
    process.stderr.write(`${event} ${JSON.stringify(details)}\n`);
  const { convert } = await createDocumentConverter({
    cacheDir,
    processes: 1,
    logger: { warn: log, debug: log },
  });
  return convert;
}
