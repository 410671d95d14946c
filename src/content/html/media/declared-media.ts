import type { Document } from 'domhandler';
import type { MediaKind } from '../../media-kind.ts';
import { readMetaTags, type StructuredData } from '../structured-data/structured-data.ts';

/** A media file that a page or feed declares. */
export interface DeclaredMedia {
  url: string;
  /** Media type, if the page states it. */
  type?: string | undefined;
  kind?: MediaKind | undefined;
}

/** The schema.org types whose `contentUrl` is a media file, with the kind of file. */
const TYPES: Record<string, MediaKind | undefined> = {
  AudioObject: 'audio',
  PodcastEpisode: 'audio',
  RadioEpisode: 'audio',
  Audiobook: 'audio',
  VideoObject: 'video',
  MusicVideoObject: 'video',
  MediaObject: undefined,
};
/** Structured data beyond this number of values is ignored. */
const MAX_VALUES = 20_000;

/** Names of meta tags with the URL of a file. A later tag may state its type. */
const META: Record<string, MediaKind | undefined> = {
  'og:audio': 'audio',
  'og:audio:url': 'audio',
  'og:audio:secure_url': 'audio',
  'og:video': 'video',
  'og:video:url': 'video',
  'og:video:secure_url': 'video',
  'twitter:player:stream': undefined,
};
const META_TYPE = /^(og:audio|og:video|twitter:player:stream):(?:content_)?type$/;

/** Finds the media that a page declares in structured data, then in Open Graph and Twitter cards. */
export function findDeclaredMedia(
  document: Document,
  { jsonLd, microdata }: StructuredData,
): DeclaredMedia[] {
  return [...findMediaItems([jsonLd, microdata]), ...findMediaMetaTags(document)];
}

function findMediaMetaTags(document: Document): DeclaredMedia[] {
  const named: (DeclaredMedia & { group: string })[] = [];
  for (const { name: written, content } of readMetaTags(document)) {
    const name = written.toLowerCase();
    if (!content) continue;
    if (Object.hasOwn(META, name)) named.push({ url: content, kind: META[name], group: groupOf(name) });
    const group = META_TYPE.exec(name)?.[1];
    if (!group) continue;
    // It belongs to the files of its group that have none yet (Open Graph: "structured properties").
    for (const each of named) if (each.group === group) each.type ??= content;
  }
  return named;
}

const groupOf = (name: string) => (name.startsWith('og:') ? name.split(':', 2).join(':') : name);

/** Finds the files of media items, in order. Not recursive, because the page determines the depth. */
function findMediaItems(root: unknown): DeclaredMedia[] {
  const files: DeclaredMedia[] = [];
  const rest = [root];
  for (let seen = 0; rest.length && seen < MAX_VALUES; seen++) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { '@type': types, contentUrl, encodingFormat } = value as Record<string, unknown>;
    const type = [types].flat().find((each) => typeof each === 'string' && Object.hasOwn(TYPES, each));
    if (typeof type === 'string' && typeof contentUrl === 'string') {
      const format = typeof encodingFormat === 'string' ? encodingFormat : undefined;
      files.push({ url: contentUrl, type: format, kind: TYPES[type] });
    }
    for (const each of Object.values(value).reverse()) rest.push(each);
  }
  return files;
}
