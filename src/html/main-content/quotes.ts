import { type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';
import type { Pruned } from './pruning.ts';

/** So many words in a row are hardly the same by chance. */
const RUN = 5;
/** Share of a quote's runs that are said on the page; what is around it names who is quoted. */
const LEAST_SAID = 0.5;
const QUOTE = /(^|[\s_-])[a-z]{0,12}quote(?=[\s_-]|$)/i;

/** Drops the quotes in posts of what another post of the page says itself. */
export function dropQuotes(posts: Element[], { dropped }: Pruned): void {
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
  const runs = new Map(quotes.map((quote) => [quote, runsOf(wordsOf(textContent(quote)))]));
  const wanted = new Set([...runs.values()].flat());
  const said = new Set(runsOf(wordsOf(own.join(''))).filter((run) => wanted.has(run)));
  for (const [quote, all] of runs) {
    const known = all.filter((run) => said.has(run));
    if (all.length > 0 && known.length >= LEAST_SAID * all.length) dropped.add(quote);
  }
}

const isQuote = ({ name, attribs }: Element) =>
  name === 'blockquote' || ((name === 'div' || name === 'aside') && QUOTE.test(attribs.class ?? ''));

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** All runs of a few words, one beginning with each word. */
function runsOf(words: string[]): string[] {
  return words.slice(0, 1 - RUN).map((_, at) => words.slice(at, at + RUN).join(' '));
}
