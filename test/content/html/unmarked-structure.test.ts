import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraphs = (about: string, number: number) =>
  Array.from({ length: number }, (_, at) => `<p>${sentence(`${about} ${at}`)}</p>`).join('');
const DOCS = '<script type="application/ld+json">{"@type":"TechArticle"}</script>';

const markdownOf = (html: string) => contentOf(html).markdown;
const headingsOf = (html: string) =>
  markdownOf(html)
    .split('\n')
    .filter((line) => line.startsWith('#'));

describe('a text of which one section is nearly all', () => {
  it('keeps its other sections, and what they begin with', () => {
    const markdown = markdownOf(`<div id="text">
      <h2>Chapter 4</h2><p>The first part has these kinds of items.</p><ul><li>Macros</li><li>Lists</li></ul>
      <div class="part"><h3>Options</h3>${paragraphs('options', 20)}</div></div>`);
    for (const text of ['## Chapter 4', 'The first part has', '- Macros', '### Options'])
      expect(markdown).toContain(text);
  });

  it('keeps sections of the same level in other elements', () => {
    const body = `<div class="container"><div><h1>dets</h1></div>
      <div class="tube"><h3>Summary</h3><div>${sentence('a store')}</div></div>
      <section class="description"><h3>Description</h3>${paragraphs('tables', 2)}</section>
      <div class="exports"><h4>all()</h4><h3>Types</h3>${paragraphs('functions', 30)}</div>
      <section class="tube"><h3>See also</h3>${sentence('others')}</section></div>`;
    expect(headingsOf(body)).toEqual([
      '# dets',
      '### Summary',
      '### Description',
      '#### all()',
      '### Types',
      '### See also',
    ]);
  });

  it('does not keep what is said about its author under a lower heading', () => {
    const markdown = markdownOf(`<div><div class="body"><h1>Mills</h1>${paragraphs('mills', 8)}<h2>Stones</h2>
      ${paragraphs('stones', 8)}</div><div class="who"><h3>Who wrote it</h3><p>${sentence('the writer')}</p></div></div>`);
    expect(markdown).not.toContain('Who wrote it');
  });

  it('keeps its notes, which stand behind it', () => {
    const markdown = markdownOf(`<div class="top"><h1>Data</h1>${paragraphs('data', 12)}</div>
      <div class="footnote"><hr><h4>Footnotes</h4><p>(1) The distinction is subtle, and rarely made by programs.</p></div>`);
    expect(markdown).toContain('The distinction is subtle');
  });
});

describe('the title of a page', () => {
  it('is the h2 that repeats the title of the document where there is no h1, also as a link', () => {
    expect(
      headingsOf(`<head><title>Known Issues</title></head><body>
      <div class="section"><div class="titlepage"><div><h2><a href="known.html">Known Issues</a></h2></div></div>
      <div class="section"><h3>Limits of moves</h3>${paragraphs('moves', 8)}</div></div></body>`),
    ).toEqual(['## [Known Issues](https://site.test/dir/known.html)', '### Limits of moves']);
  });

  it('is the element of the class title that the title of the document repeats', () => {
    const page = (around: string) =>
      `<head><title>Eigen: Map Class Reference</title></head><body>
       <div class="header"><div class="headertitle">${around}</div></div><div class="contents">${paragraphs('maps', 5)}</div></body>`;
    expect(headingsOf(page('<div class="title">Map Class Reference</div>'))).toEqual([
      '# Map Class Reference',
    ]);
    expect(headingsOf(page('<div class="title">Another text</div>'))).toEqual([]);
  });

  it('is followed by the name of what a page of a manual is about', () => {
    expect(
      headingsOf(`<div id="header"><h1>git-x(1) Manual Page</h1><h2>NAME</h2><div class="s"><p>git-x - Write and verify files that are there</p></div></div>
      <div id="content"><div><h2>SYNOPSIS</h2><pre>git x</pre></div><div><h2>DESCRIPTION</h2>${paragraphs('files', 8)}</div>
      <div><h2>SEE ALSO</h2><div><p><a href="y.html">git-y(1)</a></p></div></div></div>`),
    ).toEqual(['# git-x(1) Manual Page', '## NAME', '## SYNOPSIS', '## DESCRIPTION', '## SEE ALSO']);
  });
});

describe('an element with the role of a heading', () => {
  it('is a heading of its level', () => {
    expect(
      headingsOf(`<main><h1>Mills</h1><div role="heading" aria-level="3">Stones</div>${paragraphs('stones', 3)}
        <div role='heading'><span>Sails</span></div>${paragraphs('sails', 3)}</main>`),
    ).toEqual(['# Mills', '### Stones', '## Sails']);
  });

  it('is none inside of a line or of a heading', () => {
    expect(
      headingsOf(`<main><h1>Mills <span role="heading" aria-level="2">of stone</span></h1>
        <p>A <span role="heading" aria-level="2">sail</span> ${sentence('sails')}</p>${paragraphs('mills', 3)}</main>`),
    ).toEqual(['# Mills of stone']);
  });
});

describe('the main element of a reference', () => {
  const main = (inside: string) => `${DOCS}<main><h1>Title</h1>${inside}</main>`;

  it('keeps short texts beside a long one', () => {
    const markdown = markdownOf(
      main(
        `<span class="item-info">Available on ARM only.</span><div class="docs">${paragraphs('the function', 9)}</div>`,
      ),
    );
    expect(markdown).toContain('Available on ARM only.');
  });

  it('keeps all cells of a table that is drawn with blocks', () => {
    const markdown = markdownOf(
      main(`<div class="caption">Packages that use it</div><div class="grid"><div class="head">Package</div><div class="head">Description</div>
        <div class="first"><a href="/tool">jdk.tool</a></div><div class="last"><p>${sentence('launching tools')}</p></div></div>`),
    );
    for (const text of ['Packages that use it', 'Package', 'Description', 'jdk.tool'])
      expect(markdown).toContain(text);
  });

  it('keeps comments of code, and what a name is for', () => {
    const line = (code: string) => `<div class="row">${code}</div>`;
    const markdown = markdownOf(
      main(`${paragraphs('code', 4)}<div class="listing">${line('<span class="comment">// Local variables</span>')}${line('int i = 1;')}</div>
        <div class="deprecation-comment">Replaced by another class.</div>`),
    );
    expect(markdown).toContain('// Local variables');
    expect(markdown).toContain('Replaced by another class.');
    expect(markdownOf(main(`${paragraphs('code', 4)}<div class="comments">First!</div>`))).not.toContain(
      'First!',
    );
  });

  it('keeps what a link that skips the navigation leads to', () => {
    const markdown = markdownOf(`<div class="doc"><h1>Plans</h1>
      <p id="skip" class="intro">What this page holds.</p>${paragraphs('plans', 6)}</div>`);
    expect(markdown).toContain('What this page holds.');
  });

  it('keeps sections about what is related to its subject, but not links to related pages', () => {
    const links = '<ul><li><a href="/a">One page</a></li><li><a href="/b">Another page</a></li></ul>';
    const about = (heading: string) =>
      headingsOf(main(`${paragraphs('a parameter', 6)}<h2>${heading}</h2>${links}`));
    expect(about('Related global parameters')).toEqual(['# Title', '## Related global parameters']);
    expect(about('Related pages')).toEqual(['# Title']);
  });

  it('keeps the contents of a chapter, which lead to other pages', () => {
    const toc = (hrefs: string[]) =>
      markdownOf(
        main(
          `${paragraphs('the chapter', 6)}<div class="toc"><ul>${hrefs.map((href) => `<li><a href="${href}">Go to ${href.slice(-1)}</a></li>`).join('')}</ul></div>`,
        ),
      );
    expect(toc(['one.html#x', 'two.html', 'three.html#y', 'four.html'])).toContain('Go to l');
    expect(toc(['one.html#a', 'one.html#b', 'one.html#c', 'one.html#d'])).not.toContain('Go to a');
  });
});
