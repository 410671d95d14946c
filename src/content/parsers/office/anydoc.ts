import { DocumentError, type DocumentFault } from '../document-error.ts';
import type { OfficeModel } from './model.ts';

const FAULTS: Record<string, DocumentFault> = {
  encrypted: 'password',
  unsupported: 'unsupported',
  resourceLimit: 'too-large',
};
const MESSAGES: Partial<Record<DocumentFault, string>> = {
  password: 'The document needs a password.',
  unsupported:
    'The file is damaged, or of a version that is not supported. Save it once more, in a newer format.',
  'too-large': 'The expanded document is too large or too deeply nested.',
};
const DAMAGED = 'The document is damaged, and nothing of it can be read.';

/**
 * Reads a document into the document model of anydoc.
 * @throws DocumentError if the document cannot be read, or with the fault `unavailable` if anydoc cannot be
 * loaded
 */
export async function readModel(bytes: Uint8Array): Promise<OfficeModel> {
  const { toDocument } = await loadAnydoc();
  try {
    // The declarations of anydoc name the same strings by `const enum`s; see model.ts.
    return (await toDocument(bytes)) as unknown as OfficeModel;
  } catch (error) {
    throw toDocumentError(error);
  }
}

/** Loads the native module, which is not released for all platforms. */
async function loadAnydoc() {
  try {
    return await import('@firecrawl/anydoc');
  } catch (cause) {
    const machine = `${process.platform} on ${process.arch}`;
    const message = `The parser for documents of this type (@firecrawl/anydoc) cannot be loaded on ${machine}.`;
    throw new DocumentError('unavailable', message, { cause });
  }
}

/** Converts an error of anydoc, whose property `code` tells the cause. */
function toDocumentError(error: unknown): DocumentError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fault = FAULTS[code] ?? 'damaged';
  return new DocumentError(fault, MESSAGES[fault] ?? DAMAGED, { cause: error });
}
