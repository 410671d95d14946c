import { covers, type Redaction, redactionOf } from '../../content/redaction/redaction.ts';
import type { Rendered, RenderTask } from '../../content/rendering/render.ts';
import type { Snapshot } from '../../content/snapshot.ts';
import { pageResultsOf } from '../../schemas/parsers.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { PageModel } from './page-model.ts';
import { findPersonNames, reasonAgainstNames } from './person-names.ts';

/** What is known of a page before anything is derived from it. */
type Page = Pick<Snapshot, 'url' | 'document'>;

/** How the personal data of a page is replaced, and warnings for the user. */
interface PageRedaction {
  redaction: Redaction;
  warnings: string[];
}

/** Formats whose results are files, in which nothing can be replaced. */
const FILES = new Set(['screenshot', 'audio', 'video']);

/**
 * Decides how the personal data of a page is replaced: names of persons are asked for before anything is
 * derived from the page.
 * @param render renders the page for the model
 * @returns `undefined` if nothing is to be replaced
 */
export async function redactionOfPage(
  request: ScrapeRequest,
  {
    snapshot,
    model,
    render,
  }: {
    snapshot: Page;
    model: PageModel | undefined;
    render(task: Pick<RenderTask, 'formats' | 'redaction' | 'clean'>): Promise<Rendered>;
  },
): Promise<PageRedaction | undefined> {
  const redaction = redactionOf(request.redactPII);
  if (!redaction) return undefined;
  const warnings = warningsOfFiles(request, snapshot);
  if (!covers(redaction, 'PERSON')) return { redaction, warnings };
  const { lockdown } = request;
  const reason = reasonAgainstNames({ mode: redaction.mode, lockdown, hasModel: model !== undefined });
  if (reason !== undefined || !model)
    return { redaction, warnings: [...warnings, ...(reason ? [reason] : [])] };
  const clean = { onlyMainContent: false, removeBase64Images: true };
  const { fields } = await render({ formats: [{ type: 'markdown' }], redaction, clean });
  const { markdown } = fields;
  if (typeof markdown !== 'string' || markdown.trim() === '') return { redaction, warnings };
  const found = await findPersonNames(markdown, { url: snapshot.url, model });
  return { redaction: { ...redaction, names: found.names }, warnings: [...warnings, ...found.warnings] };
}

/** Says of which results redaction is not possible. */
function warningsOfFiles({ formats, actions = [], parsers }: ScrapeRequest, { document }: Page): string[] {
  const made = [...formats, ...actions].map(({ type }) => (type === 'pdf' ? 'PDF' : type));
  const files: string[] = [...new Set(made.filter((type) => FILES.has(type) || type === 'PDF'))];
  // Only some documents have pictures of their pages, and none has them with zero data retention.
  const hasPictures = document?.pages?.some(({ image }) => image !== undefined);
  if (hasPictures && pageResultsOf(parsers)?.pageImages) files.push('pageImages');
  // The images of a page are URLs of its site, but those inside a document are files of the result.
  if (document?.hasImages && formats.some(({ type }) => type === 'images')) files.push('images');
  return files.length > 0
    ? [`redactPII replaces personal data in text only: ${files.join(', ')} show the page as it is.`]
    : [];
}
