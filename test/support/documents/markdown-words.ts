import { type Document, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { removeElement } from 'domutils';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { toMarkdown } from '../../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { toMarkdownByTurndown } from '../../../src/content/html/turndown/index.ts';

/**
 * Elements that the two converters treat differently on purpose, so that their words cannot be compared:
 * Winnow writes formulas as TeX, and leaves out form controls, media players and other elements whose text
 * the page does not show.
 */
const NOT_COMPARED = new Set(
  'math script style noscript template title select option textarea button input iframe object audio video canvas svg'.split(
    ' ',
  ),
);

/** The first difference between two lists of words, with the words around it. */
export interface WordDifference {
  winnow: string[];
  turndown: string[];
}

/**
 * Converts a page with Winnow's converter and with Turndown, renders both results as HTML, and compares their
 * words.
 * @returns the first difference; `undefined` if both have the same words in the same order
 */
export function compareWords(html: string): WordDifference | undefined {
  const options = { removeBase64Images: true, tidy: false };
  const winnow = wordsOf(toMarkdown(comparablePage(html), options));
  const turndown = wordsOf(toMarkdownByTurndown(withoutKnownFaults(comparablePage(html)), options));
  const at = winnow.findIndex((word, place) => word !== turndown[place]);
  const first = at < 0 && winnow.length < turndown.length ? winnow.length : at;
  if (first < 0) return undefined;
  const around = (words: string[]) => words.slice(Math.max(0, first - 6), first + 10);
  return { winnow: around(winnow), turndown: around(turndown) };
}

function comparablePage(html: string): Document {
  const page = parseHtml(html);
  removeNotCompared(page);
  return page;
}

/**
 * Removes what Turndown writes as invalid markdown: it does not escape `<` and `&`, so that text disappears
 * as a tag, and it writes a link around blocks on several lines, so that the URL becomes text. Neither holds
 * words of its own.
 */
function withoutKnownFaults(page: Document): Document {
  const visit = (parent: ParentNode) => {
    for (const child of [...parent.children]) {
      if (isText(child)) child.data = child.data.replace(/[<&]/g, ' ');
      else if (isTag(child)) {
        if (child.name === 'a') child.name = 'span';
        visit(child);
      }
    }
  };
  visit(page);
  return page;
}

function removeNotCompared(parent: ParentNode): void {
  for (const child of [...parent.children]) {
    if (!isTag(child)) continue;
    if (NOT_COMPARED.has(child.name)) removeElement(child);
    else removeNotCompared(child);
  }
}

/** The words of markdown as its readers see them. */
function wordsOf(markdown: string): string[] {
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  return textOf(parseHtml(html)).match(/[\p{L}\p{N}]+/gu) ?? [];
}

const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strike strong sub sup time u var'.split(
    ' ',
  ),
);

/** The text of a tree, in which block elements and line breaks separate words. */
function textOf(node: Document | Element): string {
  const text = node.children
    .map((child) => (isText(child) ? child.data : isTag(child) ? textOf(child) : ''))
    .join('');
  return isTag(node) && INLINE.has(node.name) ? text : ` ${text} `;
}
