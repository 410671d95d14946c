import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const PROSE =
  'The tea grows on the hills, where it is picked in spring, and dried in the shade for many days.';
const PAGE = `<!doctype html><html><head><title>Tea</title></head><body>
<nav id="menu" class="wide top"><a href="/a">Green</a><a href="/b">Black</a><ul><li>White</ul></nav>
<main><h1>Tea</h1><p>${PROSE}</p><p>${PROSE} <span class="price">12 euros</span> ${PROSE}</p>
<table><tr><td>Weight<td>100 g</table><script>hidden()</script></main>
<footer>All rights reserved</footer></body></html>`;

/** The blocks in short: + for what was kept, and the element of what was left out. */
const short = (page: string, options = {}, changes = {}) =>
  contentOf(page, options, changes).judgedBlocks.map(
    ({ text, isKept, element }) => `${isKept ? '+' : element} ${text}`,
  );

describe('the blocks of a page', () => {
  it('are its visible text in its order, with the element and the reason of what was left out', () => {
    expect(contentOf(PAGE).judgedBlocks).toEqual([
      {
        kind: 'text',
        text: 'GreenBlack\nWhite',
        isKept: false,
        element: 'nav#menu.wide.top',
        because: expect.arrayContaining(['Its tag is nav.']),
      },
      { kind: 'heading', text: 'Tea', isKept: true },
      { kind: 'text', text: PROSE, isKept: true },
      { kind: 'text', text: `${PROSE} 12 euros ${PROSE}`, isKept: true },
      { kind: 'row', text: 'Weight 100 g', isKept: true },
      {
        kind: 'text',
        text: 'All rights reserved',
        isKept: false,
        element: 'footer',
        because: expect.arrayContaining(['Its tag is footer.']),
      },
    ]);
  });

  it('have all that was kept if nothing is to be left out', () => {
    expect(contentOf(PAGE, { onlyMainContent: false }).judgedBlocks.every(({ isKept }) => isKept)).toBe(true);
  });

  it('name what excludeTags remove, also within a paragraph', () => {
    const blocks = short(PAGE, { excludeTags: ['.price', 'table'] });
    expect(blocks.slice(3)).toEqual([
      `+ ${PROSE}`,
      'span.price 12 euros',
      `+ ${PROSE}`,
      'table Weight 100 g',
      'footer All rights reserved',
    ]);
  });

  it('name what includeTags do not match, and keep what they do, whatever it looks like', () => {
    const content = contentOf(PAGE, { includeTags: ['nav', 'h1'] });
    expect(content.judgedBlocks.map(({ isKept, text }) => [isKept, text.slice(0, 5)])).toEqual([
      [true, 'Green'],
      [true, 'White'],
      [true, 'Tea'],
      [false, PROSE.slice(0, 5)],
    ]);
    expect(content.judgedBlocks.at(-1)?.because).toEqual(['It is outside of what includeTags match.']);
    expect(content.markdown).not.toContain(PROSE);
  });

  it('have the same text as the other formats', () => {
    const content = contentOf(PAGE);
    const kept = content.judgedBlocks.filter(({ isKept }) => isKept).map(({ text }) => text);
    expect(kept).toEqual(content.blocks.map(({ text }) => text));
  });

  it('of a text are its paragraphs', () => {
    expect(short('one\n\ntwo', {}, { kind: 'text' })).toEqual(['+ one', '+ two']);
  });
});
