import { isJsonObject } from '../../json/json-object.ts';
import type { Content } from '../html/content.ts';
import { itemsOf } from '../html/structured-data/structured-data.ts';
import { oneLine } from '../html/text.ts';
import { splitSentences } from './sentences.ts';

/** A verbatim piece of the page that may answer a question: a few sentences, or a line of a list or table. */
export interface Passage {
  id: number;
  text: string;
  /** The heading above it. */
  section: string;
}

/** Sentences are grouped up to this many characters; a longer sentence stays whole, up to `MAX_LENGTH`. */
const TARGET_LENGTH = 200;
const MAX_LENGTH = 2_000;
const MAX_PASSAGES = 10_000;

/** Splits the content into passages, in order, followed by the FAQ answers of its structured data. */
export function splitPassages({ blocks, structuredData }: Content): Passage[] {
  const ofText = blocks
    .filter(({ kind }) => kind !== 'heading')
    .flatMap(({ kind, text, section }) =>
      (kind === 'text' || kind === 'item' ? groupSentences(splitSentences(text)) : [text]).map((each) => ({
        text: each.slice(0, MAX_LENGTH),
        section,
      })),
    );
  const known = new Set(ofText.map(({ text }) => text));
  const ofQuestions = itemsOf(structuredData)
    .flatMap(({ mainEntity }) => [mainEntity].flat())
    .flatMap(faqPassage)
    .filter(({ text }) => !known.has(text));
  return [...ofText, ...ofQuestions].slice(0, MAX_PASSAGES).map((passage, id) => ({ ...passage, id }));
}

function groupSentences(sentences: string[]): string[] {
  const groups: string[] = [];
  for (const sentence of sentences) {
    const last = groups.at(-1);
    if (last !== undefined && last.length + sentence.length < TARGET_LENGTH)
      groups[groups.length - 1] = `${last} ${sentence}`;
    else groups.push(sentence);
  }
  return groups;
}

/** The passage of a FAQ entry (schema.org `Question`). */
function faqPassage(value: unknown): { text: string; section: string }[] {
  if (!isJsonObject(value)) return [];
  const answer = [value.acceptedAnswer].flat()[0];
  const text = isJsonObject(answer) ? answer.text : undefined;
  // FAQ answers may contain HTML tags.
  const plain = typeof text === 'string' ? oneLine(text.replace(/<[^<>]*>/g, ' ')) : '';
  return plain === '' ? [] : [{ text: plain.slice(0, MAX_LENGTH), section: String(value.name ?? '') }];
}
