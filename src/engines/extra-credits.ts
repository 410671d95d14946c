import { ENHANCED_PAGE, PAGE } from '../credits.ts';
import type { DocumentTask } from '../parsers/document.ts';
import type { DocumentParts, ProxyKind } from '../snapshot.ts';

/** Returns the credits that a page may cost beyond its expected price; infinite for a team without a limit. */
export type ExtraCredits = () => Promise<number>;

const ENHANCED_SURCHARGE = ENHANCED_PAGE - PAGE;

/** Whether the team of a page can pay for an enhanced proxy that `auto` resorts to. */
export const affordsEnhanced = async (extraCredits?: ExtraCredits): Promise<boolean> =>
  extraCredits === undefined || (await extraCredits()) >= ENHANCED_SURCHARGE;

/** Whether the team of a page can pay for all pages of a PDF that is a copy in the cache. */
export async function affordsDocument(
  { type, numPages = 1 }: Partial<DocumentParts> = {},
  extraCredits?: ExtraCredits,
): Promise<boolean> {
  if (type !== 'pdf' || numPages === 1 || !extraCredits) return true;
  return (await extraCredits()) >= numPages - PAGE;
}

/**
 * Limits the pages of a PDF to those that its team can pay for. The first one is a part of the page's own price.
 * @param page.hasSurcharge whether the page was fetched by an enhanced proxy that its expected price does not contain
 */
export async function limitToCredits(
  task: DocumentTask,
  { hasSurcharge, extraCredits }: { hasSurcharge: boolean; extraCredits?: ExtraCredits | undefined },
): Promise<DocumentTask> {
  if (!task.pdf || !extraCredits) return task;
  const left = (await extraCredits()) - (hasSurcharge ? ENHANCED_SURCHARGE : 0);
  const maxPages = Math.max(1, Math.min(task.pdf.maxPages, PAGE + left));
  return maxPages === task.pdf.maxPages ? task : { ...task, pdf: { ...task.pdf, maxPages } };
}

/** The warning for a PDF of which only the beginning was read. */
export const beyondCredits = ({ numPages = 0, totalPages = 0 }) =>
  `Only ${numPages} of ${totalPages} pages were read, because the team has no credits for more of them.`;

/** Whether the expected price of a page lacks that of the proxy by which it was fetched. */
export const hasProxySurcharge = (requested: string, used: ProxyKind): boolean =>
  requested === 'auto' && used === 'enhanced';
