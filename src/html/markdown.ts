import type { Document } from 'domhandler';
import { footnotesOf } from './markdown/footnotes.ts';
import { RULES } from './markdown/rules.ts';
import { type MarkdownOptions, stacked, Writer } from './markdown/writer.ts';

export { fenced } from './markdown/code.ts';

/**
 * GitHub-flavoured markdown of a page.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more text than can be converted
 */
export function toMarkdown(document: Document, options: MarkdownOptions): string {
  const writer = new Writer(RULES, footnotesOf(document.children), options);
  return stacked(writer.nested(false, () => writer.walk(document.children))).trim();
}
