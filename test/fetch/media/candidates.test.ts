import { describe, expect, it } from 'vitest';
import type { MediaLink } from '../../../src/content/html/media/page-media.ts';
import { entryForPage, newestEntry, rankCandidates } from '../../../src/fetch/media/candidates.ts';

const link = (
  name: string,
  source: MediaLink['source'],
  kind?: MediaLink['kind'],
  entry?: string,
): MediaLink => ({
  url: `https://site.test/${name}`,
  source,
  ...(kind && { kind }),
  ...(entry && { entry }),
});
const namesOf = (links: MediaLink[]) => links.map(({ url }) => url.slice('https://site.test/'.length));
const feed = (links: MediaLink[], home?: string) => ({ links, feeds: [], ...(home && { home }) });

describe('the order of candidates', () => {
  const links = [
    link('link.mp3', 'linked', 'audio'),
    link('loaded.mp4', 'loaded', 'video'),
    link('own.mp4', 'page', 'video'),
    link('own', 'page'),
    link('own-2.mp4', 'page', 'video'),
    link('own.mp3', 'page', 'audio'),
  ];

  it('for audio is: declared, loaded, linked files; audio files first', () => {
    expect(namesOf(rankCandidates('audio', feed(links)))).toEqual([
      ...['own.mp3', 'own', 'own.mp4', 'own-2.mp4'],
      ...['loaded.mp4', 'link.mp3'],
    ]);
  });

  it('for video excludes audio files', () => {
    expect(namesOf(rankCandidates('video', feed(links)))).toEqual([
      'own.mp4',
      'own-2.mp4',
      'own',
      'loaded.mp4',
    ]);
  });
});

describe('the entry of a feed', () => {
  const entries = [
    link('3.mp3', 'feed', 'audio', 'https://site.test/three'),
    link('3.ogg', 'feed', 'audio', 'https://site.test/three'),
    link('2.mp3', 'feed', 'audio', 'https://site.test/two'),
  ];

  it('is the newest one when the feed is scraped itself', () => {
    expect(namesOf(newestEntry(feed(entries)).links)).toEqual(['3.mp3', '3.ogg']);
  });

  it('is the one about the page that links the feed', () => {
    expect(namesOf(entryForPage(feed(entries), 'https://site.test/two/#t').links)).toEqual(['2.mp3']);
  });

  it('is the newest one when the page is that of the feed', () => {
    expect(namesOf(entryForPage(feed(entries, 'https://site.test'), 'https://site.test/').links)).toEqual([
      '3.mp3',
      '3.ogg',
    ]);
  });

  it('is not one about another page', () => {
    expect(entryForPage(feed(entries, 'https://site.test/'), 'https://site.test/about').links).toEqual([]);
  });
});
