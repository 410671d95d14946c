import { HTML_TYPES } from './html.ts';
import { defineParser } from './parser.ts';
import { TEXT_TYPE } from './text.ts';

/** The first tag of a feed or sitemap (WHATWG MIME Sniffing 7.3). */
const SIGNATURE =
  /^(?:[\s\uFEFF]|<!--(?:(?!-->)[\s\S])*-->|<\?[^>]*>)*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)[\s>]/i;

/**
 * Feeds and sitemaps, some of which are declared as HTML. They stay text: `content/html/content.ts` turns the
 * entries into a page when formats are derived.
 */
export const feed = defineParser({
  type: 'feed',
  detect({ start, mediaType, isUndeclared, isTextual }) {
    if (!SIGNATURE.test(start)) return undefined;
    if (HTML_TYPES.has(mediaType)) return 'type';
    if (!isTextual) return undefined;
    if (TEXT_TYPE.test(mediaType)) return 'type';
    return isUndeclared ? 'content' : undefined;
  },
  parse: (file) => ({ kind: 'text', text: file.decode() }),
});
