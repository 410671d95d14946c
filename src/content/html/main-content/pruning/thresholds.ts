import type { Element } from 'domhandler';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import type { BoilerplateKind } from '../page-index/name-hints.ts';
import { isRunningText } from '../page-index/page-index.ts';
import type { PageType } from '../page-type/page-type.ts';
import { linksWithinPage } from './link-kinds.ts';

/** Page types whose content is one continuous text. */
export const TEXT_PAGE_TYPES: PageType[] = ['article', 'documentation'];
const MAX_BYLINE_PROSE = 100;
const MAX_BYLINE_LENGTH = 400;
/**
 * Characters. An author's biography may be this long below an article; an element higher up may be part of
 * the text.
 */
const MAX_AUTHOR_BIO_LENGTH = 1_500;
const MIN_AUTHOR_BIO_START = 1_500;

/** The conditions under which a class name or id is taken as evidence that an element is boilerplate. */
export interface Threshold {
  /** Largest share of the page, from 0 to 1, of the element itself and of all elements with this word. */
  maxShare: number;
  /** Whether the word counts even when elements with it cover more than `maxShare` of the page. */
  ignoresCoverage?: boolean;
  /** The page types that the threshold applies to; all if absent. */
  onlyOn?: PageType[];
  /** Page types on which such an element is content. */
  exceptOn?: PageType[];
  /** Whether a short element without prose is dropped without checking `maxShare` and `condition`. */
  alwaysWhenSmall?: boolean;
  /** A further condition on the element. */
  condition?(measured: ElementMeasure, context: ElementContext): boolean;
}

/** The position of an element that may be boilerplate. */
export interface ElementContext {
  /** The element's share of the page, from 0 to 1. */
  share: number;
  element: Element;
  isInMain: boolean;
  type: PageType;
}

/** For kinds of elements that have labels but no headings. */
const NO_HEADINGS: Pick<Threshold, 'alwaysWhenSmall' | 'condition'> = {
  alwaysWhenSmall: true,
  condition: ({ headings }) => headings === 0,
};
/** Controls have neither headings nor paragraphs. */
const CONTROLS_ONLY: Threshold = {
  maxShare: 0.15,
  condition: ({ headings, prose }) => headings === 0 && prose === 0,
};

/** These words rarely mean anything else, and comments may be longer than the content. */
const COMMENTS: Threshold = { maxShare: 0.8, ignoresCoverage: true };
const THRESHOLDS: Record<BoilerplateKind, Threshold> = {
  navigation: { maxShare: 0.25 },
  footer: { maxShare: 0.7 },
  banner: { maxShare: 0.1, condition: (_, { isInMain, type }) => !isInMain || type === 'product' },
  sidebar: { maxShare: 0.35 },
  // On pages of cards and sections, content that opens in a dialog has such class names too.
  dialog: {
    maxShare: 0.25,
    condition: ({ prose }, { isInMain, type }) => prose === 0 || !isInMain || isRunningText(type),
  },
  consent: { maxShare: 0.9, ignoresCoverage: true },
  screenReaderOnly: { maxShare: 0.15, ignoresCoverage: true, ...NO_HEADINGS },
  // An element with paragraphs may be shown when the reader asks for it, for example in a tab.
  hiddenByClass: { maxShare: 0.3, condition: ({ prose }, { type }) => prose === 0 || type === 'product' },
  form: { maxShare: 0.15, ...NO_HEADINGS },
  print: { maxShare: 0.1 },
  control: { maxShare: 0.15, ...NO_HEADINGS },
  tooltip: { maxShare: 0.15 },
  // The legal text of a shop or a bank may be longer than its content.
  legal: { maxShare: 0.5, ...NO_HEADINGS },
  // A quoted post of a social network is content.
  share: { maxShare: 0.25, condition: ({ quotes }) => quotes === 0 },
  account: { maxShare: 0.15 },
  comments: COMMENTS,
  related: { maxShare: 0.4, exceptOn: ['listing'] },
  promotion: { maxShare: 0.15 },
  byline: {
    maxShare: 0.15,
    onlyOn: ['article'],
    condition: ({ prose, length, start }) =>
      (prose < MAX_BYLINE_PROSE && length < MAX_BYLINE_LENGTH) ||
      (start > MIN_AUTHOR_BIO_START && length < MAX_AUTHOR_BIO_LENGTH),
  },
  author: { maxShare: 0.3, onlyOn: ['article'] },
  tableOfContents: {
    maxShare: 0.4,
    onlyOn: TEXT_PAGE_TYPES,
    // A list of links to other pages is the content of a chapter page.
    condition: ({ length, linked }, { element }) => linked > 0.5 * length && linksWithinPage(element),
  },
  caption: { maxShare: 0.5, onlyOn: ['article'], condition: ({ length }) => length < 500 },
  photoCredit: { maxShare: 0.5, onlyOn: TEXT_PAGE_TYPES, condition: ({ length }) => length < 500 },
  reviews: { maxShare: 0.8, onlyOn: ['product', 'listing'] },
  filters: { maxShare: 0.3, onlyOn: ['listing'] },
  postAuthor: { maxShare: 0.5, onlyOn: ['forum'] },
};
/** Names of what readers have written, on pages that explain comments. */
const REMARKS = /comments|commentlist|comment-(form|respond|body)|respond|disqus|replies/i;
/** Thresholds that differ on one page type. */
const THRESHOLDS_BY_PAGE_TYPE: Partial<Record<PageType, Partial<Record<BoilerplateKind, Threshold>>>> = {
  // On a forum, comments are the posts themselves, or remarks on the posts.
  forum: { comments: { maxShare: 0.5 } },
  // Landing pages style paragraphs with a link as buttons.
  service: { control: CONTROLS_ONLY },
  documentation: {
    // A hint is an admonition.
    control: CONTROLS_ONLY,
    // One comment is that of code, or says what a name is for.
    comments: {
      ...COMMENTS,
      condition: (_, { element }) =>
        REMARKS.test(`${element.attribs.class ?? ''} ${element.attribs.id ?? ''}`),
    },
  },
};

/**
 * The threshold for a kind of boilerplate on a page of the given type.
 * @returns `undefined` if such elements are content there
 */
export function findThreshold(kind: BoilerplateKind, type: PageType): Threshold | undefined {
  const threshold = THRESHOLDS_BY_PAGE_TYPE[type]?.[kind] ?? THRESHOLDS[kind];
  const { onlyOn, exceptOn } = threshold;
  return (onlyOn && !onlyOn.includes(type)) || exceptOn?.includes(type) ? undefined : threshold;
}
