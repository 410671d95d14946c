/** Callbacks in document order. `name` is the element name; `tag` is the text between the angle brackets. */
export interface TagHandler {
  /** Trimmed text, never empty. */
  text(text: string): void;
  comment(text: string): void;
  open(name: string, tag: string): void;
  close(name: string): void;
  /** An element whose text is not visible, with that text. */
  hidden(name: string, tag: string, inside: string): void;
}

const HIDDEN_ELEMENTS = new Set([
  'script',
  'style',
  'template',
  'svg',
  'noscript',
  'title',
  'textarea',
  'select',
]);

/**
 * Scans tags in one pass, in linear time for any input. It builds no tree and accepts invalid HTML.
 * @param html lower-case HTML
 */
export function scanTags(html: string, reader: TagHandler): void {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    const text = html.slice(at, open < 0 ? undefined : open).trim();
    if (text) reader.text(text);
    if (open < 0) return;
    const isComment = html.startsWith('<!--', open);
    const close = isComment ? html.indexOf('-->', open + 2) : html.indexOf('>', open);
    if (close < 0) return;
    at = close + (isComment ? 3 : 1);
    if (isComment) {
      reader.comment(html.slice(open + 4, close));
      continue;
    }
    const isEnd = html[open + 1] === '/';
    const name = readName(html, isEnd ? open + 2 : open + 1);
    // Declarations, and what browsers take for text or comments, such as `< 5` and `</>`.
    if (name === '') continue;
    if (isEnd) {
      reader.close(name);
      continue;
    }
    const tag = html.slice(open + 1, close);
    // The content of a template with a shadow root is visible, unlike that of other templates.
    if (!HIDDEN_ELEMENTS.has(name) || tag.endsWith('/') || tag.includes('shadowrootmode')) {
      reader.open(name, tag);
    } else {
      const end = html.indexOf(`</${name}`, at);
      reader.hidden(name, tag, html.slice(at, end < 0 ? undefined : end));
      if (end < 0) return;
      at = end;
    }
  }
}

/** The name of an element that begins at a position; empty if there is none. */
function readName(html: string, begin: number): string {
  let end = begin;
  // Character by character, because a pattern takes four times as long.
  while (isLetter(html.charCodeAt(end)) || (end > begin && isDigitOrHyphen(html.charCodeAt(end)))) end++;
  return html.slice(begin, end);
}

const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;
const isDigitOrHyphen = (code: number) => (code >= 0x30 && code <= 0x39) || code === 0x2d;
