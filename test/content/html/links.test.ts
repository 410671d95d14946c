import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CleanOptions } from '../../../src/content/snapshot.ts';
import { contentOf } from './page.ts';

const links = (html: string, options = {}) => contentOf(html, options).links;

describe('links', () => {
  it('are absolute, unique, in order', () => {
    const html =
      '<a href="/b">1</a><a href="a?x=1&amp;y=2#z">2</a><a href="/b">3</a><a href="//other.test">4</a>';
    expect(links(html)).toEqual([
      'https://site.test/b',
      'https://site.test/dir/a?x=1&y=2#z',
      'https://other.test/',
    ]);
  });

  it('follow base', () => {
    expect(links('<base href="/deep/er/"><a href="x">x</a>')).toEqual(['https://site.test/deep/er/x']);
    expect(links('<base href="http://["><a href="x">x</a>')).toEqual(['https://site.test/dir/x']);
  });

  const single: [string, string, string[]][] = [
    ['mail', 'mailto:a@b.test', ['mailto:a@b.test']],
    ['a lost slash', 'https:/other.test/x', ['https://other.test/x']],
    ['blanks around', ' /x\n', ['https://site.test/x']],
    ['a fragment', '#top', []],
    ['a fragment of the page by its whole address', 'https://site.test/dir/page#top', []],
    ['a route behind the page’s own hash', '#!/users', ['https://site.test/dir/page#!/users']],
    ['a route behind a hash of another page', '/app#/users', ['https://site.test/app#/users']],
    ['a script', 'javascript:void(0)', []],
    ['a telephone', 'tel:123', []],
    ['what is no address', 'http://[', []],
    ['data', 'data:text/plain,x', []],
  ];
  it.each(single)('are read from %s: %s', (_name, href, expected) => {
    expect(links(`<a href="${href}">x</a>`)).toEqual(expected);
  });

  it('include areas of image maps', () => {
    expect(links('<map><area href="/part"></map>')).toEqual(['https://site.test/part']);
  });

  it('are those of the filtered content', () => {
    const html = '<nav><a href="/n">n</a></nav><p><a href="/p">p</a></p>';
    expect(links(html)).toEqual(['https://site.test/p']);
    expect(links(html, { onlyMainContent: false })).toEqual(['https://site.test/n', 'https://site.test/p']);
  });

  it('are absolute and unique for any page', () => {
    const href = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.webPath(),
      fc.constantFrom('#', '//', 'http:', '?', '\\\\x'),
    );
    fc.assert(
      fc.property(fc.array(href), (hrefs) => {
        const found = links(hrefs.map((each) => `<a href="${each.replace(/"/g, '&quot;')}">x</a>`).join(''));
        expect(new Set(found).size).toBe(found.length);
        for (const link of found) expect(['http:', 'https:', 'mailto:']).toContain(new URL(link).protocol);
      }),
    );
  });
});

describe('images', () => {
  it('are all images of a whole page, in order', () => {
    const html = `<head><link rel="icon" href="/i.ico"><meta property="og:image" content="/og.png"></head>
      <nav><img src="nav.png"></nav>
      <picture><source srcset="w1.webp 1x, w2.webp 2x"><img src="p.png" srcset="p1.png 100w, p2.png 200w"></picture>
      <img data-src="lazy.png"><video poster="v.png"></video>
      <link rel="preload" as="image" imagesrcset="big.png 2x"><link rel="preload" as="font" href="f.woff">
      <svg><image href="in.svg"/></svg><input type="image" src="go.png"><link rel="image_src" href="/share.png">
      <div style="background: url('bg1.png'), url(bg2.png) ; x: url( &quot;bg3.png&quot; )"></div><img src="p.png">`;
    expect(contentOf(html, { onlyMainContent: false }).images).toEqual(
      [
        '/i.ico',
        '/og.png',
        '/dir/nav.png',
        '/dir/w1.webp',
        '/dir/w2.webp',
        '/dir/p.png',
        '/dir/p1.png',
        '/dir/p2.png',
        '/dir/lazy.png',
        '/dir/v.png',
        '/dir/big.png',
        '/dir/in.svg',
        '/dir/go.png',
        '/share.png',
        '/dir/bg1.png',
        '/dir/bg2.png',
        '/dir/bg3.png',
      ].map((path) => `https://site.test${path}`),
    );
  });

  it('are those of the filtered content', () => {
    const html = `<head><link rel="icon" href="/i.ico"></head><nav><img src="/n.png"></nav>
      <p class="a"><img src="/a.png"></p><p><img srcset="b.png 1x"><amp-img src="/c.gif"></p>`;
    const found = (options: Partial<CleanOptions>) =>
      contentOf(html, options).images.map((url) => url.replace('https://site.test', ''));
    expect(found({})).toEqual(['/a.png', '/dir/b.png', '/c.gif']);
    expect(found({ onlyMainContent: false, includeTags: ['.a'] })).toEqual(['/a.png']);
    expect(found({ onlyMainContent: false, excludeTags: ['.a'] })).toEqual([
      '/n.png',
      '/dir/b.png',
      '/c.gif',
    ]);
    expect(found({ onlyMainContent: false })).toContain('/i.ico');
  });

  it('exclude data URLs, scripts and sources of other media', () => {
    const html =
      '<img src="data:image/png;base64,AA"><img src="javascript:x"><audio><source src="a.mp3"></audio>';
    expect(contentOf(html).images).toEqual([]);
  });

  it('follow base', () => {
    expect(contentOf('<base href="https://cdn.test/"><img src="a.png" srcset="b.png 2x">').images).toEqual([
      'https://cdn.test/b.png',
    ]);
  });
});
