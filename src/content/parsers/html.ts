import { defineParser } from './parser.ts';

/** White space, a byte order mark, comments and an XML declaration may precede the first tag. */
const SIGNATURE =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
/**
 * First tags by which a body without a declared type is recognised as HTML (WHATWG MIME Sniffing 7.1, table
 * 1).
 */
const FRAGMENT =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->)*<(?:script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|main|section|article|ul|span)[\s>/]/i;
export const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml']);

/** Pages in HTML or XHTML. */
export const html = defineParser({
  type: 'html',
  detect({ start, mediaType, isUndeclared, isTextual, hasBinarySignature }) {
    if (SIGNATURE.test(start)) return 'signature';
    if (HTML_TYPES.has(mediaType)) return hasBinarySignature ? undefined : 'type';
    return isUndeclared && isTextual && FRAGMENT.test(start) ? 'content' : undefined;
  },
  parse: (file) => ({ kind: 'html', text: file.decodePage() }),
});
