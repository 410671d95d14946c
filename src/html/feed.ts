import { Parser } from 'htmlparser2';
import { resolve } from './address.ts';
import type { NamedMedia } from './media-claims.ts';

/** What a feed of RSS or Atom has to listen to or to watch. */
export interface FeedMedia {
  /** The page that it is the feed of. */
  home?: string;
  /** Files of its entries, in their order, each with the page that the entry is about. */
  media: (NamedMedia & { entry?: string })[];
}

const ROOTS = new Set(['rss', 'feed', 'rdf']);
const ENTRIES = new Set(['item', 'entry']);
const HOMES = new Set(['channel', 'feed']);
/** A feed has four elements inside each other, and text to show in some. */
const MAX_DEPTH = 1_000;
const MAX_ADDRESS = 8_192;

const localName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/**
 * Reads the enclosures of RSS 2.0 and Atom (RFC 4287 4.2.7.2) and `media:content` of Media RSS, as far as the text
 * makes sense.
 * @param base what relative addresses refer to
 * @returns `undefined` for what is no feed
 */
export function readFeed(xml: string, base: string): FeedMedia | undefined {
  if (!/<(?:rss|feed|rdf:rdf)[\s>]/i.test(xml.slice(0, 4_096))) return undefined;
  const open: string[] = [];
  const media: FeedMedia['media'] = [];
  let home: string | undefined;
  let isFeed: boolean | undefined;
  let page: string | undefined;
  let files: NamedMedia[] = [];
  let text: string | undefined;

  const found = (parent: string, address: string) => {
    if (ENTRIES.has(parent)) page ??= resolve(address, base);
    else if (HOMES.has(parent)) home ??= resolve(address, base);
  };
  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        const name = localName(qualified);
        const parent = open.at(-1) ?? '';
        isFeed ??= ROOTS.has(name);
        open.push(name);
        if (!isFeed || open.length > MAX_DEPTH) return parser.pause();
        if (ENTRIES.has(name)) [page, files] = [undefined, []];
        const { href, url, type, rel = 'alternate' } = attributes;
        const file = name === 'link' && rel === 'enclosure' ? href : url;
        if (
          (name === 'link' && rel === 'enclosure') ||
          name === 'enclosure' ||
          qualified === 'media:content'
        ) {
          if (file) files.push({ address: file, type });
        } else if (name === 'link' && rel === 'alternate') {
          if (href) found(parent, href);
          else text = '';
        }
      },
      ontext(part) {
        if (text !== undefined && text.length <= MAX_ADDRESS) text += part;
      },
      onclosetag(qualified) {
        const name = localName(qualified);
        open.pop();
        if (name === 'link' && text !== undefined) {
          if (text.trim()) found(open.at(-1) ?? '', text.trim());
          text = undefined;
        }
        if (!ENTRIES.has(name)) return;
        for (const file of files) media.push({ ...file, ...(page && { entry: page }) });
        files = [];
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return isFeed ? { media, ...(home && { home }) } : undefined;
}
