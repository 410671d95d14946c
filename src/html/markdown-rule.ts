import type TurndownService from 'turndown';
import type { MarkdownNode } from './markdown-tree.ts';

/**
 * Adds a rule for elements; later rules win.
 * @param names of the elements, in lower case
 */
export function addRule(
  converter: TurndownService,
  names: string[],
  replacement: (content: string, node: MarkdownNode) => string,
): void {
  converter.addRule(names.join(), {
    // The filter's type wants the names that the DOM has interfaces for; turndown itself takes any.
    filter: names as TurndownService.Filter,
    // Turndown hands on the very nodes of the tree that it was given.
    replacement: (content, node) => replacement(content, node as unknown as MarkdownNode),
  });
}

/** The lines of a text that say something, without blanks around them. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}
