import type { Document } from 'domhandler';
import { toMarkdown } from './markdown/index.ts';
import type { MarkdownOptions } from './markdown/writer.ts';

/** The converters that `WINNOW_MARKDOWN` chooses from. */
export type MarkdownConverter = 'winnow' | 'turndown';

/** Converts a page to GitHub-flavoured markdown. */
export type ToMarkdown = (document: Document, options: MarkdownOptions) => string;

/** Loads a converter. Turndown and its HTML parser are loaded only if they are used. */
export async function loadMarkdownConverter(converter: MarkdownConverter): Promise<ToMarkdown> {
  if (converter === 'winnow') return toMarkdown;
  const { toMarkdownByTurndown } = await import('./turndown/index.ts');
  return toMarkdownByTurndown;
}
