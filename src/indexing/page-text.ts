/** Most characters of markdown and of HTML that are read. Most pages have fewer. */
const MAX_MARKDOWN_CHARACTERS = 40_000;
const MAX_HTML_CHARACTERS = 128_000;

/**
 * The text of a document, from the first format that has one; of a long document, its beginning. Its line breaks separate
 * paragraphs and headings.
 * @param fields the fields of the document, by name
 * @returns an empty text for a document without such a format
 */
export function pageText({ markdown, html, rawHtml, summary }: Record<string, unknown>): string {
  const text =
    typeof markdown === 'string'
      ? textOfMarkdown(markdown.slice(0, MAX_MARKDOWN_CHARACTERS))
      : typeof html === 'string'
        ? textOfHtml(html.slice(0, MAX_HTML_CHARACTERS))
        : typeof rawHtml === 'string'
          ? textOfHtml(rawHtml.slice(0, MAX_HTML_CHARACTERS))
          : typeof summary === 'string'
            ? summary
            : '';
  // Postgres has no character NUL.
  return text.replaceAll('\0', ' ').trim();
}

/** Removes images, the targets of links, lines of tables and the characters of formatting. */
function textOfMarkdown(markdown: string): string {
  return `\n${markdown}`
    .replace(/(?:!\[[^\]\n]*)?\]\([^)\n]*\)/g, ' ')
    .replace(/\\(?=[\\`*_{}[\]()#+.!|<>~-])/g, '')
    .replace(/[[\]`*|#]+|(?<!\w)_+|_+(?!\w)/g, ' ')
    .replace(/\n(?:[-+>=:]+(?=\s)|\s)+/g, '\n')
    .replace(/[ \t]{2,}/g, ' ');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Removes tags, scripts and styles. A rough reading suffices, because only words are looked up in it. */
function textOfHtml(html: string): string {
  return html
    .replace(/<(script|style|template|noscript|svg)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<\/?(?:p|div|h[1-6]|li|tr|br|section|article|td|th|dd|dt|title|option)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/\n\s+/g, '\n');
}
