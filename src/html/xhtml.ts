/** A self-closing tag of XML. */
const EMPTY = /<([a-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/>/gi;
/** Elements that never have content, in HTML either. */
const VOID = /^(?:area|base|br|col|embed|frame|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Whether a page is read by the rules of XML, by its `Content-Type`. */
export const isXhtml = (contentType: string) => /^\s*application\/xhtml\+xml\b/i.test(contentType);

/**
 * Writes the self-closing tags of XHTML as pairs of tags, because an HTML parser reads `<script/>` as a start tag.
 * @param xhtml a page that says of itself that it is XML
 */
export function closeEmptyElements(xhtml: string): string {
  return xhtml.replace(EMPTY, (element, name: string, attributes: string) =>
    VOID.test(name) ? element : `<${name}${attributes}></${name}>`,
  );
}
