import type { Document } from 'domhandler';
import { findCodeLabels, NO_CODE_LABELS } from './code-labels.ts';
import { ELEMENT_RULES } from './element-rules.ts';
import { findFootnotes } from './footnotes.ts';
import { joinBlocks, type MarkdownOptions, MarkdownWriter } from './writer.ts';

export { fencedCode } from './code.ts';

/**
 * Converts a page to GitHub-flavoured markdown.
 * @throws ServiceError `SCRAPE_CONTENT_TOO_LARGE` for more text than can be converted
 */
export function toMarkdown(document: Document, options: MarkdownOptions): string {
  const writer = new MarkdownWriter(ELEMENT_RULES, options, {
    footnotes: findFootnotes(document.children),
    codeLabels: options.tidy ? findCodeLabels(document) : NO_CODE_LABELS,
  });
  return joinBlocks(writer.collectBlocks(false, () => writer.walk(document.children))).trim();
}
