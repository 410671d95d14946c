import type { DocumentTask } from '../../content/parsers/document.ts';
import type { DocumentParts } from '../../content/snapshot.ts';
import { ENHANCED_PAGE, PAGE } from '../../credits.ts';
import { ServiceError } from '../../errors.ts';

/** The credits that a page may cost beyond its expected price, as far as its team has them. */
export interface ExtraCredits {
  /** Reads how many credits nothing has reserved; infinite for a team without a limit. */
  available(): Promise<number>;
  /**
   * Reserves credits until the page ends.
   * @returns whether there were so many; otherwise none are reserved
   */
  reserve(credits: number): Promise<boolean>;
}

const ENHANCED_SURCHARGE = ENHANCED_PAGE - PAGE;

/** Reserves the credits for an enhanced proxy that `auto` resorts to. @returns whether the team has them */
export const reserveEnhanced = async (extraCredits?: ExtraCredits): Promise<boolean> =>
  extraCredits === undefined || (await extraCredits.reserve(ENHANCED_SURCHARGE));

/**
 * Reserves the credits for all pages of a document after the first one.
 * @returns whether the team has them
 */
export async function reserveDocument(
  { numPages = 1 }: Pick<DocumentParts, 'numPages'> = {},
  extraCredits?: ExtraCredits,
): Promise<boolean> {
  const credits = numPages - PAGE;
  return credits <= 0 || extraCredits === undefined || (await extraCredits.reserve(credits));
}

/**
 * The error for a copy in the cache that its team cannot pay for, and that may not be replaced by a part of
 * the document.
 */
export const copyTooExpensive = ({ numPages = 1 }: Pick<DocumentParts, 'numPages'> = {}) =>
  new ServiceError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits: the copy in the cache is a document of ${numPages} pages, each of which costs a credit, and the team has too few left. Ask your operator for more.`,
  );

/**
 * Limits the pages of a document that are read to those that its team can pay for. The first one is a part of
 * the page's own price.
 * @param most the maximum number of pages if another limit than the credits applies
 */
export async function limitToCredits(
  task: DocumentTask,
  extraCredits: ExtraCredits | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<DocumentTask> {
  if (!extraCredits || !(task.pdf || task.type === 'image')) return task;
  const limit = Math.max(1, Math.min(most, PAGE + (await extraCredits.available())));
  if (task.pdf) return limit < task.pdf.maxPages ? { ...task, pdf: { ...task.pdf, maxPages: limit } } : task;
  return Number.isFinite(limit) ? { ...task, maxImagePages: limit } : task;
}

/** The warning for a document of which only the beginning was read. */
export const beyondCredits = ({ numPages = 0, totalPages = 0 }) =>
  `Only ${numPages} of ${totalPages} pages were read, because the team has no credits for more of them.`;
