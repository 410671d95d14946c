import { escapeHtml } from '../../../html/parse/escape-html.ts';

/** The texts of the pages' margins, as HTML that is no main content. */
export interface PageMargins {
  headers: string;
  footers: string;
}

/** The texts of headers or footers; nothing if there are none. */
export function marginHtml(role: 'header' | 'footer', texts: Iterable<string>): string {
  return [...texts].map((text) => `<p data-page-role="${role}">${escapeHtml(text)}</p>`).join('\n');
}
