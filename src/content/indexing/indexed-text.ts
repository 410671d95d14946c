/** Most characters of markdown and of HTML that are read. Most pages have fewer. */
const MAX_MARKDOWN_CHARACTERS = 40_000;
const MAX_HTML_CHARACTERS = 128_000;

/** Most characters of the text that are kept. The page is found by words beyond them too. */
const MAX_CONTENT_CHARACTERS = 10_000;

/** The text of a page in the forms that the index needs. */
export interface IndexedText {
  /** The first 10,000 characters of the text. Its line breaks separate paragraphs and headings. */
  content: string;
  /**
   * More of the text, for its words: characters of formatting, which separate words anyhow, may be left in
   * it.
   */
  words: string;
}

/**
 * The text of a document, from the first format that has one; of a long document, its beginning.
 * @param fields the fields of the document, by name
 * @returns empty texts for a document without such a format
 */
export function readIndexedText({ markdown, html, rawHtml, summary }: Record<string, unknown>): IndexedText {
  if (typeof markdown === 'string') return textOfMarkdown(markdown.slice(0, MAX_MARKDOWN_CHARACTERS));
  const markup = typeof html === 'string' ? html : rawHtml;
  const words =
    typeof markup === 'string'
      ? textOfHtml(markup.slice(0, MAX_HTML_CHARACTERS))
      : typeof summary === 'string'
        ? summary
        : '';
  return { content: storable(words).slice(0, MAX_CONTENT_CHARACTERS), words };
}

/** Postgres has no character NUL. */
const storable = (text: string) => text.replaceAll('\0', ' ').trim();

/** Removes images and the targets of links, and from the content all formatting. */
function textOfMarkdown(markdown: string): IndexedText {
  const words = `\n${markdown}`.replace(/(?:!\[[^\]\n]*)?\]\([^)\n]*\)/g, ' ');
  // The first part usually has enough text for the content. Each part ends with a line, because no formatting
  // extends beyond one.
  for (let most = 1.2 * MAX_CONTENT_CHARACTERS; ; most *= 2) {
    const end = words.indexOf('\n', most) + 1;
    const content = storable(removeFormatting(end ? words.slice(0, end) : words));
    if (content.length >= MAX_CONTENT_CHARACTERS || !end)
      return { content: content.slice(0, MAX_CONTENT_CHARACTERS), words };
  }
}

/** Removes lines of tables and the characters of formatting. */
const removeFormatting = (markdown: string) =>
  markdown
    .replace(/\\(?=[\\`*_{}[\]()#+.!|<>~-])/g, '')
    .replace(/[[\]`*|#]+|(?<!\w)_+|_+(?!\w)/g, ' ')
    .replace(/\n(?:[-+>=:]+(?=\s)|\s)+/g, '\n')
    .replace(/[ \t]{2,}/g, ' ');

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * Removes tags, scripts and styles. A rough reading suffices, because only words are looked up in it. What is
 * not closed stays, and nothing is searched for an end again after none was found, so the time is linear for
 * any input.
 */
function textOfHtml(html: string): string {
  const shown = replaceEnding('-->', removeHiddenElements(html), /<!--[\s\S]*?-->/g, ' ');
  const lines = replaceEnding('>', shown, BLOCK_TAG, '\n');
  return replaceEnding('>', lines, /<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/\n\s+/g, '\n');
}

const BLOCK_TAG = /<\/?(?:p|div|h[1-6]|li|tr|br|section|article|td|th|dd|dt|title|option)\b[^>]*>/gi;

/** Replaces all matches of a pattern whose matches end with `end`. */
function replaceEnding(end: string, text: string, pattern: RegExp, replacement: string): string {
  const last = text.lastIndexOf(end);
  if (last < 0) return text;
  const after = last + end.length;
  return text.slice(0, after).replace(pattern, replacement) + text.slice(after);
}

function removeHiddenElements(html: string): string {
  const unclosed = new Set<string>();
  let kept = '';
  let from = 0;
  for (const { index, 1: written = '' } of html.matchAll(/<(script|style|template|noscript|svg)\b/gi)) {
    const name = written.toLowerCase();
    if (index < from || unclosed.has(name)) continue;
    const endTag = new RegExp(`</${name}\\s*>`, 'gi');
    endTag.lastIndex = index;
    if (!endTag.test(html)) {
      unclosed.add(name);
      continue;
    }
    kept += `${html.slice(from, index)} `;
    from = endTag.lastIndex;
  }
  return kept + html.slice(from);
}
