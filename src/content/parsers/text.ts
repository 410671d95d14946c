import { defineParser } from './parser.ts';

/** Media types of texts that are shown as they are. */
export const TEXT_TYPE =
  /^text\/|\+xml$|^application\/(?:xml|(?:x-)?(?:javascript|ecmascript|typescript|yaml|toml|ndjson|sh|tex|latex|httpd-php)|jsonl(?:ines)?|json-seq|json5|sql|graphql|x-www-form-urlencoded|xml-dtd|mbox|x-subrip|vnd\.apple\.mpegurl|x-mpegurl)$/;

/** Any text that no other parser takes: plain text, SVG, scripts, stylesheets, CSV. */
export const text = defineParser({
  type: 'text',
  detect({ mediaType, isUndeclared, isTextual }) {
    if (!isTextual) return undefined;
    if (TEXT_TYPE.test(mediaType)) return 'type';
    return isUndeclared ? 'content' : undefined;
  },
  parse: (file) => ({ kind: 'text', text: file.decode() }),
});
