import type { Content } from '../html/content.ts';
import { isItem } from '../html/json-ld.ts';
import { itemsOf } from '../html/structured-data.ts';
import { oneLine } from '../html/text.ts';
import { sentencesOf } from './sentences.ts';

/** A piece of the page that may answer: a few sentences, a line of a list or table; word for word. */
export interface Passage {
  id: number;
  text: string;
  /** The heading above it. */
  section: string;
}

/** Sentences are taken together up to this length; a longer one stays whole, up to `MOST_LENGTH`. */
const LENGTH = 200;
const MOST_LENGTH = 2_000;
const MOST_PASSAGES = 10_000;

/** The passages of the content in its order, then the answers that the page gives to questions in its structured data. */
export function passagesOf({ blocks, structuredData }: Content): Passage[] {
  const ofText = blocks
    .filter(({ kind }) => kind !== 'heading')
    .flatMap(({ kind, text, section }) =>
      (kind === 'text' || kind === 'item' ? grouped(sentencesOf(text)) : [text]).map((each) => ({
        text: each.slice(0, MOST_LENGTH),
        section,
      })),
    );
  const known = new Set(ofText.map(({ text }) => text));
  const ofQuestions = itemsOf(structuredData)
    .flatMap(({ mainEntity }) => [mainEntity].flat())
    .flatMap(questionAnswered)
    .filter(({ text }) => !known.has(text));
  return [...ofText, ...ofQuestions].slice(0, MOST_PASSAGES).map((passage, id) => ({ ...passage, id }));
}

function grouped(sentences: string[]): string[] {
  const groups: string[] = [];
  for (const sentence of sentences) {
    const last = groups.at(-1);
    if (last !== undefined && last.length + sentence.length < LENGTH)
      groups[groups.length - 1] = `${last} ${sentence}`;
    else groups.push(sentence);
  }
  return groups;
}

/** An entry of a FAQ, as schema.org has it. */
function questionAnswered(value: unknown): { text: string; section: string }[] {
  if (!isItem(value)) return [];
  const answer = [value.acceptedAnswer].flat()[0];
  const text = isItem(answer) ? answer.text : undefined;
  // Answers there may have marks of HTML in them.
  const plain = typeof text === 'string' ? oneLine(text.replace(/<[^<>]*>/g, ' ')) : '';
  return plain === '' ? [] : [{ text: plain.slice(0, MOST_LENGTH), section: String(value.name ?? '') }];
}
