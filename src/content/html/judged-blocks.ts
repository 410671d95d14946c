import type { Document, Element } from 'domhandler';
import { type TextBlock, walkBlocks } from './blocks.ts';
import type { CleanedPage } from './clean.ts';
import type { Sign } from './main-content/evidence/sign.ts';

/** A part of the visible text of a page, with what became of it. */
export interface JudgedBlock {
  kind: TextBlock['kind'];
  /** The text; lines of what was left out together are joined by line breaks. */
  text: string;
  /** Whether the outputs have it. */
  isKept: boolean;
  /** The element that was left out, such as `nav#menu.wide`; absent for what was kept. */
  element?: string;
  /** Why, in sentences; absent for what was kept. */
  because?: string[];
}

/** Classes that the name of an element has at most, and characters of the name. */
const MAX_CLASSES = 4;
const MAX_NAME = 200;

/** What a part of a page was left out with. */
interface LeftOut {
  element: string;
  because: string[];
}

/** What is outside of all that `includeTags` match. */
const OUTSIDE: LeftOut = { element: 'body', because: ['It is outside of what includeTags match.'] };

/**
 * Lists the text of a page in its order, and says of what was left out why. The text of one element that was
 * left out is one block.
 */
export function judgeBlocks(page: Document, cleaned: CleanedPage): JudgedBlock[] {
  const blocks: JudgedBlock[] = [];
  let last: LeftOut | undefined;
  walkBlocks<LeftOut>(page, {
    part: cleaned.included && OUTSIDE,
    partOf: (element, outer) => fateOf(element, outer, cleaned),
    emit({ kind, text, part }) {
      const before = blocks.at(-1);
      if (part && part === last && before) before.text += `\n${text}`;
      else blocks.push({ kind, text, isKept: !part, ...part });
      last = part;
    },
  });
  return blocks;
}

/** Why an element was left out; undefined if it was kept. */
function fateOf(element: Element, outer: LeftOut | undefined, cleaned: CleanedPage): LeftOut | undefined {
  const { decisions, excluded, included } = cleaned;
  if (outer === OUTSIDE ? !included?.has(element) : outer) return outer;
  if (excluded.has(element)) return { element: nameOf(element), because: [reasonToExclude(element)] };
  // What `includeTags` select is kept even if it looks like boilerplate.
  const signs = included?.has(element) ? undefined : decisions?.signsOf(element);
  if (signs) return { element: nameOf(element), because: signs.map(sentenceOf) };
  return undefined;
}

const reasonToExclude = ({ attribs }: Element) =>
  attribs['data-page-role'] === undefined
    ? 'It matches excludeTags.'
    : 'It is a running header, footer or number of a page of the document.';

/** The tag of an element with its id and classes, so that a developer finds it in the page. */
function nameOf({ name, attribs: { id, class: classes = '' } }: Element): string {
  const parts = classes.split(/\s+/).filter((each) => each !== '');
  return [name, ...(id ? [`#${id}`] : []), ...parts.slice(0, MAX_CLASSES).map((each) => `.${each}`)]
    .join('')
    .slice(0, MAX_NAME);
}

const SENTENCES: Record<Sign['kind'], (detail: string) => string> = {
  name: (detail) => `Its class or id says "${detail}".`,
  heading: (detail) => `It is the section "${detail}".`,
  tag: (detail) =>
    detail.startsWith('role ') ? `Its role is "${detail.slice(5)}".` : `Its tag is ${detail}.`,
  links: (detail) => `It is hardly more than links (${detail}).`,
  place: (detail) => `It is ${detail}.`,
  repetition: (detail) => `Its text is on the page already (${detail}).`,
  hidden: (detail) => `Readers do not see it (${detail}).`,
  shape: (detail) => `It has the form of ${detail}.`,
  words: (detail) => `Its text reads like: ${detail}.`,
};

const sentenceOf = ({ kind, detail }: Sign): string => SENTENCES[kind](detail);
