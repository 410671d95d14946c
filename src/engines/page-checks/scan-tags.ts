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
    const tag = html.slice(open + 1, close);
    const [, slash, name = ''] = /^(\/?)([a-z][a-z0-9-]*)/.exec(tag) ?? [];
    if (slash) reader.close(name);
    // The content of a template with a shadow root is visible, unlike that of other templates.
    else if (!HIDDEN_ELEMENTS.has(name) || tag.endsWith('/') || tag.includes('shadowrootmode')) {
      if (name) reader.open(name, tag);
    } else {
      const end = html.indexOf(`</${name}`, at);
      reader.hidden(name, tag, html.slice(at, end < 0 ? undefined : end));
      if (end < 0) return;
      at = end;
    }
  }
}
