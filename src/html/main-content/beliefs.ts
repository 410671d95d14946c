import type { Element } from 'domhandler';
import { leadsWithin } from './anchors.ts';
import type { Measured } from './measure.ts';
import type { Part } from './names.ts';
import type { PageType } from './page-type.ts';
import { isRunningText } from './survey.ts';

/** Types of pages that are one text from top to bottom. */
export const ARTICLES: PageType[] = ['article', 'documentation'];
const LESS_THAN_A_PARAGRAPH = 100;
const LONGEST_BYLINE = 400;
/** Below the text of an article its author is introduced at length; what comes earlier may be of the text. */
const LONGEST_INTRODUCTION = 1_500;
const BEGINNING = 1_500;

/** When a name is believed that it means the part. */
export interface Belief {
  /** Largest share of the page, of the element itself and of all elements with this word. */
  most: number;
  /** Whether the word means the part even where it is all over the page. */
  isSure?: boolean;
  /** Types of pages that have such a part beside the content; without: all. */
  on?: PageType[];
  /** Types of pages whose content it is. */
  notOn?: PageType[];
  /** Where there is little and no paragraph of it, its heading and its share do not matter. */
  isOfSmallThings?: boolean;
  /** What else must be true of the element. */
  also?(measured: Measured, context: Context): boolean;
}

/** Where an element stands that may be a part. */
export interface Context {
  /** Of the page, from 0 to 1. */
  share: number;
  element: Element;
  isInMain: boolean;
  type: PageType;
}

/** Names of what has labels and no headings. */
const LABELS: Pick<Belief, 'isOfSmallThings' | 'also'> = {
  isOfSmallThings: true,
  also: ({ headings }) => headings === 0,
};
/** Paragraphs are not what such a name means. */
const CONTROLS_ONLY: Belief = { most: 0.15, also: ({ headings, prose }) => headings === 0 && prose === 0 };

const BELIEFS: Record<Part, Belief> = {
  navigation: { most: 0.25 },
  footer: { most: 0.7 },
  banner: { most: 0.1, also: (_, { isInMain, type }) => !isInMain || type === 'product' },
  side: { most: 0.35 },
  // Cards and sections open what they say in one, and are named so.
  dialog: {
    most: 0.25,
    also: ({ prose }, { isInMain, type }) => prose === 0 || !isInMain || isRunningText(type),
  },
  consent: { most: 0.9, isSure: true },
  hidden: { most: 0.15, isSure: true, ...LABELS },
  // What has paragraphs may be shown on request.
  unseen: { most: 0.3, also: ({ prose }, { type }) => prose === 0 || type === 'product' },
  form: { most: 0.15, ...LABELS },
  print: { most: 0.1 },
  control: { most: 0.15, ...LABELS },
  tip: { most: 0.15 },
  // Of what a shop or a bank must say there may be more than of what it wants to.
  legal: { most: 0.5, ...LABELS },
  // A quoted post of a social network is content.
  share: { most: 0.25, also: ({ quotes }) => quotes === 0 },
  account: { most: 0.15 },
  // Their words are hardly used for anything else, and there may be more of them than content.
  comments: { most: 0.8, isSure: true },
  related: { most: 0.4, notOn: ['listing'] },
  promotion: { most: 0.15 },
  byline: {
    most: 0.15,
    on: ['article'],
    also: ({ prose, length, start }) =>
      (prose < LESS_THAN_A_PARAGRAPH && length < LONGEST_BYLINE) ||
      (start > BEGINNING && length < LONGEST_INTRODUCTION),
  },
  author: { most: 0.3, on: ['article'] },
  contents: {
    most: 0.4,
    on: ARTICLES,
    // What leads to other pages is what a chapter consists of.
    also: ({ length, linked }, { element }) => linked > 0.5 * length && leadsWithin(element),
  },
  caption: { most: 0.5, on: ARTICLES, also: ({ length }) => length < 500 },
  credit: { most: 0.5, on: ARTICLES, also: ({ length }) => length < 500 },
  reviews: { most: 0.8, on: ['product', 'listing'] },
  filters: { most: 0.3, on: ['listing'] },
  poster: { most: 0.5, on: ['forum'] },
};
/** Where a type of page has other beliefs. */
const BELIEFS_ON: Partial<Record<PageType, Partial<Record<Part, Belief>>>> = {
  // They are its posts, or else remarks on the posts.
  forum: { comments: { most: 0.5 } },
  // Paragraphs that lead somewhere, as buttons do.
  service: { control: CONTROLS_ONLY },
  // A hint is a note to its readers.
  documentation: { control: CONTROLS_ONLY },
};

/** When a name is believed on a page of a type; `undefined` where it means something else there. */
export function beliefIn(part: Part, type: PageType): Belief | undefined {
  const belief = BELIEFS_ON[type]?.[part] ?? BELIEFS[part];
  const { on, notOn } = belief;
  return (on && !on.includes(type)) || notOn?.includes(type) ? undefined : belief;
}
