import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const metadata = (head: string, changes = {}) =>
  contentOf(`<html lang="en-GB"><head>${head}</head><body><p>x`, {}, changes).metadata;

const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`;

describe('metadata', () => {
  it('contain title, language, favicon and plain meta tags', () => {
    const head = `<title> A \n title </title><link rel="shortcut icon" href="../i.ico">
      ${meta('Description', 'About')}${meta('keywords', 'a, b')}${meta('robots', 'noindex')}`;
    expect(metadata(head)).toEqual({
      title: 'A title',
      language: 'en-GB',
      favicon: 'https://site.test/i.ico',
      description: 'About',
      keywords: 'a, b',
      robots: 'noindex',
    });
  });

  it('are empty for a page without any', () => {
    expect(contentOf('').metadata).toEqual({});
    expect(contentOf('<p>x').metadata).toEqual({});
  });

  const ours: [string, string][] = [
    ['og:title', 'ogTitle'],
    ['og:description', 'ogDescription'],
    ['og:url', 'ogUrl'],
    ['og:image', 'ogImage'],
    ['og:audio', 'ogAudio'],
    ['og:determiner', 'ogDeterminer'],
    ['og:locale', 'ogLocale'],
    ['og:site_name', 'ogSiteName'],
    ['og:video', 'ogVideo'],
    ['article:section', 'articleSection'],
    ['article:tag', 'articleTag'],
    ['article:published_time', 'publishedTime'],
    ['article:modified_time', 'modifiedTime'],
    ['dcterms.created', 'dcTermsCreated'],
    ['dc.date.created', 'dcDateCreated'],
    ['dc.date', 'dcDate'],
    ['dcterms.type', 'dcTermsType'],
    ['dc.type', 'dcType'],
    ['dcterms.audience', 'dcTermsAudience'],
    ['dcterms.subject', 'dcTermsSubject'],
    ['dc.subject', 'dcSubject'],
    ['dc.description', 'dcDescription'],
    ['dcterms.keywords', 'dcTermsKeywords'],
  ];
  it.each(ours)('contain %s under its own name and as %s', (name, alias) => {
    const said = 'https://said.test/';
    expect(metadata(`<meta property="${name}" content="${said}">`)).toMatchObject({
      [name]: said,
      [alias]: said,
    });
  });

  it('have absolute URLs under our names and the original ones under theirs', () => {
    const head =
      '<base href="https://cdn.test/"><meta property="og:image" content="a.png"><meta property="og:url" content="">';
    expect(metadata(head)).toMatchObject({
      'og:image': 'a.png',
      ogImage: 'https://cdn.test/a.png',
      'og:url': '',
      ogUrl: '',
    });
  });

  it('use the name of a meta tag, else its property, else its itemprop', () => {
    const head = `<meta property="p" itemprop="i" content="1"><meta name="n" property="q" content="2">
      <meta itemprop="i" content="3"><meta charset="utf-8"><meta http-equiv="refresh" content="9"><meta name="none">`;
    expect(metadata(head)).toEqual({ language: 'en-GB', p: '1', n: '2', i: '3' });
  });

  it('turn repeated names into lists', () => {
    const head = [1, 2, 3].map((n) => meta('author', `a${n}`)).join('');
    expect(metadata(head).author).toEqual(['a1', 'a2', 'a3']);
  });

  it('join repeated descriptions', () => {
    expect(metadata(meta('description', 'a') + meta('description', 'b')).description).toBe('a, b');
  });

  it('keep ogLocaleAlternate a list, even with one value', () => {
    const one = '<meta property="og:locale:alternate" content="de_DE">';
    expect(metadata(one).ogLocaleAlternate).toEqual(['de_DE']);
    expect(metadata(`${one}<meta property="og:locale:alternate" content="fr_FR">`).ogLocaleAlternate).toEqual(
      ['de_DE', 'fr_FR'],
    );
  });

  it('are not replaced by a meta tag named title, language or favicon', () => {
    const head = `<title>Real</title><link rel="icon" href="/i.png">${meta('title', 'Fake')}${meta('language', 'fake')}${meta('favicon', 'fake')}`;
    expect(metadata(head)).toEqual({ title: 'Real', language: 'en-GB', favicon: 'https://site.test/i.png' });
  });

  it('use the title of the page and not that of an SVG in it', () => {
    const page = '<body><svg><title>Icon</title></svg><title>Late</title>';
    expect(contentOf(page).metadata.title).toBe('Late');
  });

  it('resolve the favicon against the base element', () => {
    const head = '<base href="https://cdn.test/a/"><link rel="icon" href="i.png">';
    expect(metadata(head).favicon).toBe('https://cdn.test/a/i.png');
  });

  it('accept the names of object members', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const found = metadata(names.map((name) => meta(name, 'x')).join('') + meta('after', 'y'));
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(found.after).toBe('y');
    expect(JSON.parse(JSON.stringify(found)).after).toBe('y');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});
