import type { Element } from 'domhandler';
import { textContent } from 'domutils';
import { isTag } from '../../nodes.ts';
import type { PrunedPage } from '../stage.ts';

/** A run of this many equal words is rarely a coincidence. */
const WORDS_PER_RUN = 5;
/**
 * A quote is dropped if at least this share of its runs occurs in posts. The rest names the quoted author.
 */
const MIN_REPEATED_SHARE = 0.5;
const QUOTE_CLASS = /(^|[\s_-])[a-z]{0,12}quote(?=[\s_-]|$)/i;

/** Drops quotes in posts whose text is also in another post of the page. */
export function dropRepeatedQuotes(posts: Element[], { dropped }: PrunedPage): void {
  const quotes: Element[] = [];
  const own: string[] = [];
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child)) own.push(textContent(child));
      else if (dropped.has(child)) continue;
      else if (isQuote(child)) quotes.push(child);
      else visit(child);
    }
    own.push(' ');
  };
  for (const post of posts) visit(post);
  if (quotes.length === 0) return;
  const runs = new Map(quotes.map((quote) => [quote, wordRunsOf(wordsOf(textContent(quote)))]));
  const wanted = new Set([...runs.values()].flat());
  const seen = new Set(wordRunsOf(wordsOf(own.join(''))).filter((run) => wanted.has(run)));
  for (const [quote, all] of runs) {
    const known = all.filter((run) => seen.has(run));
    if (all.length > 0 && known.length >= MIN_REPEATED_SHARE * all.length)
      dropped.drop(quote, { kind: 'repetition', detail: 'quoted post' });
  }
}

/** Whether an element quotes another post. */
export const isQuote = ({ name, attribs }: Element) =>
  name === 'blockquote' || ((name === 'div' || name === 'aside') && QUOTE_CLASS.test(attribs.class ?? ''));

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** All runs of consecutive words, one starting at each word. */
function wordRunsOf(words: string[]): string[] {
  return words.slice(0, 1 - WORDS_PER_RUN).map((_, at) => words.slice(at, at + WORDS_PER_RUN).join(' '));
}
