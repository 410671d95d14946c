import serialize from 'dom-serializer';
import type { Document } from 'domhandler';
import TurndownService from 'turndown';
import { BASE64_IMAGE_PLACEHOLDER } from '../markdown/links.ts';
import type { MarkdownOptions } from '../markdown/writer.ts';
import { gfmRules } from './gfm-rules.ts';

/** Elements whose text the page does not show. Turndown would write it. */
const NOT_SHOWN = ['script', 'style', 'noscript', 'template', 'title'] as const;

/**
 * Converts a page to markdown by Turndown with rules for GitHub's extensions.
 * @param options.tidy has no effect: Turndown always leaves out empty elements
 */
export function toMarkdownByTurndown(document: Document, { removeBase64Images }: MarkdownOptions): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.use(gfmRules).remove([...NOT_SHOWN]);
  if (removeBase64Images) service.addRule('base64Image', base64ImageRule);
  return service.turndown(serialize(document, { encodeEntities: 'utf8' }));
}

const base64ImageRule: TurndownService.Rule = {
  filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
  replacement: (_content, node) =>
    `![${(node.getAttribute('alt') ?? '').replace(/\n+/g, ' ')}](${BASE64_IMAGE_PLACEHOLDER})`,
};
