import { describe, expect, it } from 'vitest';
import { isPlayable, mentionsMedia } from '../../../src/content/html/media/page-media.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { contentOf } from './page.ts';

const linksOf = (html: string, changes: Partial<Snapshot> = {}) => contentOf(html, {}, changes).media.links;

describe('the media of a page', () => {
  it('are those of its players, with absolute URLs', () => {
    const html = `<base href="/files/"><audio src="a.mp3"></audio>
      <video poster="p.jpg"><source src="v.webm" type="video/webm"><source src="//cdn.test/v.mp4"></video>
      <picture><source src="no.mp4" srcset="x.png"></picture>`;
    expect(linksOf(html)).toEqual([
      { url: 'https://site.test/files/a.mp3', kind: 'audio', source: 'page' },
      { url: 'https://site.test/files/v.webm', kind: 'video', source: 'page' },
      { url: 'https://cdn.test/v.mp4', kind: 'video', source: 'page' },
    ]);
  });

  it('have the kind of their element when the file name does not tell', () => {
    expect(linksOf('<audio src=/stream></audio><video src=/v><source src=/w></video>')).toMatchObject([
      { url: 'https://site.test/stream', kind: 'audio' },
      { url: 'https://site.test/v', kind: 'video' },
      { url: 'https://site.test/w', kind: 'video' },
    ]);
  });

  it('include those in JSON-LD', () => {
    const data = {
      '@graph': [
        { '@type': 'ImageObject', contentUrl: 'https://site.test/no.png' },
        { '@type': ['PodcastEpisode'], associatedMedia: { '@type': 'MediaObject', contentUrl: '/e.mp3' } },
        { '@type': 'VideoObject', contentUrl: '/v', embedUrl: 'https://player.test/embed' },
        { '@type': 'AudioObject', contentUrl: '/a', encodingFormat: 'audio/mpeg' },
      ],
    };
    const html = `<script type="application/ld+json">{broken</script>
      <script type="application/ld+json">${JSON.stringify(data)}</script>`;
    expect(linksOf(html)).toEqual([
      { url: 'https://site.test/e.mp3', kind: 'audio', source: 'page' },
      { url: 'https://site.test/v', kind: 'video', source: 'page' },
      { url: 'https://site.test/a', kind: 'audio', source: 'page' },
    ]);
  });

  it('include those in Open Graph and Twitter cards, except players that are pages', () => {
    const html = `<meta property="og:video" content="https://player.test/embed">
      <meta property="og:video:type" content="text/html">
      <meta property="og:video" content="/v.mp4"><meta property="og:video:type" content="video/mp4">
      <meta property="og:audio:secure_url" content="/a">
      <meta name="twitter:player:stream" content="/s"><meta name="twitter:player:stream:content_type" content="video/mp4">`;
    expect(linksOf(html)).toEqual([
      { url: 'https://site.test/v.mp4', kind: 'video', source: 'page' },
      { url: 'https://site.test/a', kind: 'audio', source: 'page' },
      { url: 'https://site.test/s', kind: 'video', source: 'page' },
    ]);
  });

  it('include files that the browser loaded and linked files, marked as such', () => {
    const media = [{ url: 'https://cdn.test/live.m3u8', contentType: 'application/vnd.apple.mpegurl' }];
    const html = '<a href=talk.MP3?x=1>hear</a><a href=/notes.pdf>read</a><a href=javascript:play()>play</a>';
    expect(linksOf(html, { media })).toEqual([
      { url: 'https://cdn.test/live.m3u8', source: 'loaded' },
      { url: 'https://site.test/dir/talk.MP3?x=1', kind: 'audio', source: 'linked' },
    ]);
  });

  it('exclude URLs other than http and https', () => {
    const html =
      '<video src="blob:https://site.test/1"></video><audio src="data:audio/wav;base64,AA"></audio><audio src="http://["></audio>';
    expect(linksOf(html)).toEqual([]);
  });

  it('include links to its feeds', () => {
    const html =
      '<link rel=alternate type=application/rss+xml href=/feed><link rel=alternate href=/de hreflang=de>';
    expect(contentOf(html).media.feeds).toEqual(['https://site.test/feed']);
  });

  it('are limited in number', () => {
    expect(
      linksOf(`<audio>${Array.from({ length: 500 }, (_, n) => `<source src=/${n}.mp3>`).join('')}`),
    ).toHaveLength(50);
  });
});

describe('the media of a file', () => {
  it('are the file itself when it is a media file', () => {
    const url = 'https://site.test/x';
    const media = [{ url, contentType: 'audio/mpeg' }];
    expect(linksOf('', { kind: 'text', url, media })).toEqual([{ url, kind: 'audio', source: 'page' }]);
  });

  it('are the enclosures of RSS with their pages', () => {
    const xml = `<?xml version="1.0"?><rss xmlns:media="http://search.yahoo.com/mrss/"><channel><link>https://site.test/</link>
      <item><title>One</title><link>/one</link><enclosure url="/1.mp3" type="audio/mpeg" length="1"/></item>
      <item><link> https://site.test/two </link><media:content url="/2" type="video/mp4"/></item>
      <item><link>/three</link></item></channel></rss>`;
    const { media } = contentOf(xml, {}, { kind: 'text' });
    expect(media).toEqual({
      home: 'https://site.test/',
      feeds: [],
      links: [
        { url: 'https://site.test/1.mp3', kind: 'audio', source: 'feed', entry: 'https://site.test/one' },
        { url: 'https://site.test/2', kind: 'video', source: 'feed', entry: 'https://site.test/two' },
      ],
    });
  });

  it('are the enclosures of Atom', () => {
    const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/blog"/><link rel="self" href="/feed"/>
      <entry><link href="/e"/><link rel="enclosure" href="/e.ogg" type="audio/ogg"/></entry></feed>`;
    expect(contentOf(xml, {}, { kind: 'text' }).media).toEqual({
      home: 'https://site.test/blog',
      feeds: [],
      links: [
        { url: 'https://site.test/e.ogg', kind: 'audio', source: 'feed', entry: 'https://site.test/e' },
      ],
    });
  });

  it.each([
    'a text about <rss> feeds',
    '<html><rss><item><enclosure url="/x.mp3"/></item></rss></html>',
    '<rss',
    '',
  ])('are none where it is no feed: %s', (text) => {
    expect(linksOf(text, { kind: 'text' })).toEqual([]);
  });

  it('are found in bounded time in a deeply nested feed', () => {
    const deep = `<rss>${'<a>'.repeat(100_000)}<item><enclosure url="/x.mp3"/></item>`;
    expect(linksOf(deep, { kind: 'text' })).toEqual([]);
  });
});

describe('what headers say', () => {
  it.each([
    ['audio/mpeg', '/x', true],
    ['video/mp4; codecs="avc1"', '/x', true],
    ['application/vnd.apple.mpegurl', '/x', true],
    ['application/octet-stream', '/x.mp3', true],
    ['', '/x.webm', true],
    ['application/octet-stream', '/x.zip', false],
    ['text/html', '/x.mp3', false],
    ['image/png', '/x.mp4', false],
  ])('of %s at %s: to play %s', (type, path, playable) => {
    expect(isPlayable(type, `https://site.test${path}`)).toBe(playable);
  });
});

describe('a page', () => {
  it.each([
    ['<audio controls src="/a.mp3">', true],
    ['<video><source type=x src=v.mp4>', true],
    ['<meta property="og:audio" content="/a.mp3">', true],
    ['{"contentUrl":"/a"}', true],
    ['<video src="blob:https://site.test/1">', false],
    ['<video id=player></video>', false],
    ['<img src=a.png>', false],
  ])('%s seems to say where its media are: %s', (html, seems) => {
    expect(mentionsMedia(html)).toBe(seems);
  });
});
