/** Matches a self-closing tag of XML. */
const EMPTY = /<([a-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/>/gi;
/** The void elements of HTML, which never have content. */
const VOID = /^(?:area|base|br|col|embed|frame|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Whether browsers parse a page as XML, according to its `Content-Type`. */
export const isXhtml = (contentType: string) => /^\s*application\/xhtml\+xml\b/i.test(contentType);

/**
 * Writes the self-closing tags of XHTML as pairs of tags, because an HTML parser reads `<script/>` as a start
 * tag.
 * @param xhtml the markup of a page in XHTML
 */
export function closeEmptyElements(xhtml: string): string {
  return xhtml.replace(EMPTY, (element, name: string, attributes: string) =>
    VOID.test(name) ? element : `<${name}${attributes}></${name}>`,
  );
}
