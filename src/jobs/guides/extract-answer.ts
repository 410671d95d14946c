import { splitSentences } from '../../content/answers/sentences.ts';
import { tokenizeWords } from '../../content/answers/words.ts';
import { oneLine } from '../../content/html/text.ts';
import type { FoundSection } from './guide-search.ts';

/** An answer has at most this many sentences of the guides. */
const MAX_SENTENCES = 3;

/** Removes the marks of markdown from a line of text. */
const plainText = (markdown: string) =>
  oneLine(markdown.replace(/\*\*(.*?)\*\*/g, '$1').replace(/^- /gm, ''));

/** Answers a question by the sentences of a section that fit it best, word for word and in their order. */
export function extractAnswer(question: string, { text, heading }: FoundSection): string {
  const words = new Set(tokenizeWords(question));
  const sentences = splitSentences(plainText(text)).map((sentence, at) => ({
    sentence,
    at,
    matches: tokenizeWords(sentence).filter((word) => words.has(word)).length,
  }));
  const best = sentences
    .toSorted((one, other) => other.matches - one.matches || one.at - other.at)
    .slice(0, MAX_SENTENCES)
    .toSorted((one, other) => one.at - other.at);
  return best.map(({ sentence }) => sentence).join(' ') || heading;
}
