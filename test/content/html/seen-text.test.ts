import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const INTRODUCTION = ['the tide', 'the moon', 'the port', 'the sea'].map(
  (about) => `<p>${sentence(about)}</p>`,
);
const MORE = sentence('the wind');

/** The blocks that the main-content filter keeps of a page, below its title and its introduction. */
const left = (inside: string, url = 'https://site.test/dir/page') =>
  contentOf(`<main><h1>Tide</h1>${INTRODUCTION.join('')}${inside}</main>`, {}, { url })
    .markdown.split(/\n+/)
    .slice(1 + INTRODUCTION.length);

describe('an element that screen readers skip', () => {
  it.each([
    ['a word of a sentence', '<p>One <span aria-hidden="true">word</span> of it.</p>', ['One word of it.']],
    ['a paragraph', '<p aria-hidden="true">Seen</p>', ['Seen']],
    [
      'characters with a reading',
      '<p><ruby><rb aria-hidden="true">昔</rb><rp>(</rp><rt>むかし</rt><rp>)</rp></ruby></p>',
      ['昔(むかし)'],
    ],
    [
      'a column',
      '<table><tr><th>Day<th aria-hidden="true">Tide<tr><td>3<td aria-hidden="true">3</table>',
      ['| Day | Tide |', '| --- | --- |', '| 3 | 3 |'],
    ],
    [
      'a cell by its role',
      '<div role="row"><div role="cell" aria-hidden="true">3.2 m</div></div>',
      ['3.2 m'],
    ],
    ['running text in a container', `<div aria-hidden="true"><p>${MORE}</p></div>`, [MORE]],
  ])('stays as %s', (_name, html, expected) => {
    expect(left(html)).toEqual(expected);
  });

  it.each([
    ['a dialog', `<div class="box" tabindex="-1" aria-hidden="true"><p>${MORE}</p></div>`],
    ['a container by its name', `<div class="flyout" aria-hidden="true"><p>${MORE}</p></div>`],
    ['a container of links', `<div aria-hidden="true"><a href="/1">${MORE}</a></div>`],
    ['a container of labels', '<div aria-hidden="true">Closed</div>'],
    ['the name of an icon', '<p><span class="material-icons" aria-hidden="true">arrow_back</span></p>'],
  ])('is dropped as %s', (_name, html) => {
    expect(left(html)).toEqual([]);
  });
});

describe('of a text that is seen and one beside it for screen readers', () => {
  const price = '<span>$</span><span>19<span>.</span></span><span>99</span>';

  it.each([
    [
      'a price in parts',
      `<p><span class="a-offscreen">$19.99</span><span aria-hidden="true">${price}</span></p>`,
      '$19.99',
    ],
    [
      'a price without its point',
      '<p><span aria-hidden="true">$19<sup>99</sup></span><span class="sr-only">Now $19.99</span></p>',
      'Now $19.99',
    ],
    [
      'a price that says more to screen readers',
      '<p><del aria-hidden="true">$12</del> <span class="screen-reader-text">It was $12.</span></p>',
      '~~$12~~',
    ],
    [
      'letters that move one by one',
      '<h2><span class="visually-hidden">High tide</span><i aria-hidden="true">Hi</i><i aria-hidden="true">gh</i> <i aria-hidden="true">tide</i></h2>',
      '## High tide',
    ],
    [
      'text whose class says nothing',
      '<p><span aria-hidden="true">For sale</span><span class="x1">For sale</span></p>',
      'For sale',
    ],
    [
      'stars',
      '<p><span aria-hidden="true">★★★★☆</span><span class="sr-only">4 out of 5</span></p>',
      '4 out of 5',
    ],
    [
      'other words',
      '<p><span aria-hidden="true">4.5 / 5</span><span class="sr-only">Four and a half stars</span></p>',
      '4.5 / 5',
    ],
    [
      'blocks',
      '<section><div aria-hidden="true">99 %</div><div class="sr-only">Nearly all</div></section>',
      '99 %',
    ],
    [
      'a row that moves on without end',
      '<section><div>Free delivery</div><div aria-hidden="true">Free delivery</div></section>',
      'Free delivery',
    ],
    [
      'a formula and its picture',
      '<p><span class="mwe-math-element"><span style="display: none;"><math alttext="E=mc^2"><mi>E</mi></math></span><img src="/e.svg" aria-hidden="true" alt="E"></span></p>',
      '$E=mc^2$',
    ],
  ])('one stays: %s', (_name, html, expected) => {
    for (const url of [
      'https://site.test/dir/page',
      'https://site.test/docs/page',
      'https://site.test/product/1',
    ])
      expect(left(html, url)).toEqual([expected]);
  });

  it('both stay where they are two values', () => {
    const values = '<p>Up <span>3</span> and <span aria-hidden="true">3</span></p>';
    expect(left(values)).toEqual(['Up 3 and 3']);
    const cells = '<dl><dt>3</dt><dt aria-hidden="true">3</dt></dl>';
    expect(left(cells)).toEqual(['3', '3']);
  });
});

describe('of a note that is shown on pointing at a number', () => {
  const note = (title: string, style = 'display:none') =>
    `<p>The tide<span class="inline-footnote" title="${title}">1<span class="footnoteContent" style="${style}">It <i>turns</i> twice.</span></span> comes.</p>`;

  it('one of its title and its hidden text stays, in parentheses', () => {
    expect(left(note('It turns twice.'))).toEqual(['The tide1 (It *turns* twice.) comes.']);
  });

  it('the hidden text stays hidden where the title says something else', () => {
    expect(left(note('Show the note'))).toEqual(['The tide1 comes.']);
  });
});

describe('the reading of characters', () => {
  it.each([
    ['without parentheses on the page', '<ruby>書<rt>shū</rt>法<rt>fǎ</rt></ruby>', '書(shū)法(fǎ)'],
    ['with them', '<ruby>書<rp>(</rp><rt>shū</rt><rp>)</rp></ruby>', '書(shū)'],
    ['that is empty', '<ruby>書<rt> </rt></ruby>', '書'],
  ])('%s is in parentheses once', (_name, html, expected) => {
    expect(left(`<p>${html}</p>`)).toEqual([expected]);
  });
});

describe('a drawing with a label', () => {
  const DRAWING = '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>';

  it.each([
    [
      'of the element around it',
      `<p>Rated <span role="img" aria-label="4 of 5">${DRAWING}${DRAWING}</span></p>`,
    ],
    ['of its own', '<p>Rated <svg role="img" aria-label="4 of 5"><path d="M0 0"/></svg></p>'],
  ])('is its label: %s', (_name, html) => {
    expect(left(html)).toEqual(['Rated 4 of 5']);
  });

  it('is no text in a link or a button, or without the role', () => {
    const labelled = `<span role="img" aria-label="Symbol">${DRAWING}</span>`;
    expect(left(`<p>One <a href="/x">link ${labelled}</a></p>`)).toEqual(['One [link](https://site.test/x)']);
    expect(left(`<p>One <button>more ${labelled}</button></p>`)).not.toContain('Symbol');
    expect(left(`<p>One <span aria-label="Symbol">${DRAWING}</span></p>`)).toEqual(['One']);
  });
});
