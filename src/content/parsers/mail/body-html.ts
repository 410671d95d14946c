import { embeddedHtml, paragraphs } from '../embedded-html.ts';
import type { Mail } from './mail.ts';

/**
 * The body of a mail as part of a page.
 * @param imageIds the image of each Content-ID to which the body may refer; the alternative text replaces all
 * others
 */
export function bodyHtml({ html, text = '' }: Mail, imageIds: ReadonlyMap<string, string>): string {
  return html === undefined ? paragraphs(text) : embeddedHtml(html, imageIds);
}
