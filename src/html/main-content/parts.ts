import { type Element, isTag } from 'domhandler';
import { isCopy } from './copies.ts';
import { isFold } from './folds.ts';
import { isHeading, type Measured } from './measure.ts';
import type { Hint, Part } from './names.ts';
import type { PageType } from './page-type.ts';
import { FORM, isRunningText, type Survey } from './survey.ts';
import { isUnseen } from './visibility.ts';

/** Elements that are parts by their tag, and the largest share of the page that one may have to be believed. */
const TAGS: Record<string, number> = { form: 0.3, fieldset: 0.3, dialog: 0.8 };
/** The same for roles. */
const ROLES: Record<string, number> = {
  navigation: 0.4,
  banner: 0.4,
  contentinfo: 0.4,
  complementary: 0.4,
  search: 0.4,
  menu: 0.4,
  menubar: 0.4,
  toolbar: 0.4,
  alert: 0.4,
  status: 0.4,
  dialog: 0.8,
  alertdialog: 0.8,
};
/** Where the content is known to be elsewhere, so much may stand beside it. */
const MOST_BESIDE = 0.85;
/** Forms that have more of the page are how its parts are kept. */
const MOST_OF_FORMS = 0.5;
const CONTROLS = new Set(['button', 'label', 'select', 'textarea']);
const ARTICLES: PageType[] = ['article', 'documentation'];
/** What unfolds more than a menu says what it is, in so many characters. */
const SHORTEST_QUESTION = 12;
const LESS_THAN_A_PARAGRAPH = 100;
const LONGEST_BYLINE = 400;
/** Below the text of an article its author is introduced at length; what comes earlier may be of the text. */
const LONGEST_INTRODUCTION = 1_500;
const BEGINNING = 1_500;

/** When a name is believed that it means the part. */
interface Belief {
  /** Largest share of the page, of the element itself and of all elements with this word. */
  most: number;
  /** Whether the word means the part even where it is all over the page. */
  isSure?: boolean;
  /** Types of pages that have such a part beside the content; without: all. */
  on?: PageType[];
  /** Types of pages whose content it is. */
  notOn?: PageType[];
  /** What else must be true of the element. */
  also?(measured: Measured, context: Context): boolean;
}

interface Context {
  share: number;
  isInMain: boolean;
  type: PageType;
}

const hasNoHeading = ({ headings }: Measured) => headings === 0;

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
  hidden: { most: 0.15, isSure: true, also: hasNoHeading },
  // What has paragraphs may be shown on request.
  unseen: { most: 0.3, also: ({ prose }, { type }) => prose === 0 || type === 'product' },
  form: { most: 0.15, also: hasNoHeading },
  print: { most: 0.1 },
  control: { most: 0.15, also: hasNoHeading },
  tip: { most: 0.15 },
  // Of what a shop or a bank must say there may be more than of what it wants to.
  legal: { most: 0.5, also: hasNoHeading },
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
  // A page that is one table of contents has nothing else.
  contents: { most: 0.4, on: ARTICLES, also: ({ length, linked }) => linked > 0.5 * length },
  caption: { most: 0.5, on: ARTICLES, also: ({ length }) => length < 500 },
  reviews: { most: 0.8, on: ['product', 'listing'] },
  filters: { most: 0.3, on: ['listing'] },
  poster: { most: 0.5, on: ['forum'] },
};
/** Where a type of page has other beliefs. */
const BELIEFS_ON: Partial<Record<PageType, Partial<Record<Part, Belief>>>> = {
  // They are its posts, or else remarks on the posts.
  forum: { comments: { most: 0.5 } },
  // Paragraphs that lead somewhere, as buttons do.
  service: { control: { most: 0.15, also: ({ headings, prose }) => headings === 0 && prose === 0 } },
};

/** Whether an element is a part of the page beside its main content, by its tag, role or names. */
export function isPart(element: Element, measured: Measured, isInMain: boolean, survey: Survey): boolean {
  if (isCopy(element)) return true;
  const context = { share: survey.shareOf(measured), isInMain, type: survey.type };
  // What a tag or a role means is settled: names add nothing to it.
  return (
    isPartByTag(element, measured, context, survey) ??
    isPartByRole(element, context) ??
    ((!survey.folded.has(element.attribs.id ?? '') && isUnseen(element, context.share, context.type)) ||
      isPartByName(element, measured, context, survey))
  );
}

/** `undefined` where the tag says nothing. */
function isPartByTag(
  element: Element,
  { headings, length, prose, quotes }: Measured,
  { share, isInMain }: Context,
  { type, holders, coverageOf }: Survey,
): boolean | undefined {
  const { name } = element;
  if (name === 'form' && coverageOf(FORM) > MOST_OF_FORMS) return undefined;
  const most = TAGS[name];
  if (most !== undefined) return share <= most;
  switch (name) {
    case 'nav':
      return prose === 0 || share <= 0.6;
    case 'header':
      // Inside an article it has the title and the introduction.
      return !isInMain && share <= 0.4;
    case 'aside': {
      const isQuote = isInMain && quotes > 0;
      return !isQuote && !holders.has(element) && share <= (holders.size ? MOST_BESIDE : 0.4);
    }
    case 'footer':
      return share <= (holders.size && !holders.has(element) ? MOST_BESIDE : 0.5);
    case 'figcaption':
      return ARTICLES.includes(type);
    case 'noscript':
      // Often a request to switch scripts on, sometimes the page itself.
      return length > 0 && (share < 0.2 || length < 300);
    default:
      // The headings of an accordion are buttons.
      return CONTROLS.has(name)
        ? headings === 0 && !(name === 'button' && (isInHeading(element) || isQuestion(element, length)))
        : undefined;
  }
}

const isInHeading = ({ parent }: Element) => parent !== null && isTag(parent) && isHeading(parent);

/** Whether it is a question whose answer unfolds below it. */
const isQuestion = (element: Element, length: number) => isFold(element) && length >= SHORTEST_QUESTION;

function isPartByRole({ attribs }: Element, { share }: Context): boolean | undefined {
  if (attribs['aria-modal'] === 'true') return true;
  const most = ROLES[attribs.role ?? ''];
  return most === undefined ? undefined : share <= most;
}

function isPartByName(element: Element, measured: Measured, context: Context, survey: Survey): boolean {
  const hints = survey.hints.get(element);
  return hints?.some((hint) => isBelieved(hint, element, measured, context, survey)) ?? false;
}

function isBelieved(
  { word, part }: Hint,
  element: Element,
  measured: Measured,
  context: Context,
  survey: Survey,
): boolean {
  const { most, isSure, on, notOn, also } = BELIEFS_ON[survey.type]?.[part] ?? BELIEFS[part];
  if (survey.holders.has(element) || (part === 'control' && isQuestion(element, measured.length)))
    return false;
  if ((on && !on.includes(survey.type)) || notOn?.includes(survey.type)) return false;
  if (
    also === hasNoHeading &&
    measured.prose === 0 &&
    measured.length < 200 &&
    survey.coverageOf(word) <= 0.3
  )
    return true;
  const isEverywhere = !isSure && survey.coverageOf(word) > most;
  return context.share <= most && !isEverywhere && (also?.(measured, context) ?? true);
}

/** Which elements may hold nothing but links, by type of page. */
const LINK_LISTS: Partial<Record<PageType, string[]>> = {
  article: ['div', 'p', 'section'],
  forum: ['div', 'p', 'section'],
  product: ['div', 'section', 'ul'],
  service: ['section'],
};

/** Whether an element that is no part by itself leads elsewhere and does nothing more. */
export function isListOfLinks(
  element: Element,
  measured: Measured,
  { type, holders, shareOf }: Survey,
): boolean {
  const { links, linked, length } = measured;
  return (
    (LINK_LISTS[type]?.includes(element.name) ?? false) &&
    links > 0 &&
    linked > 0.8 * length &&
    shareOf(measured) < 0.3 &&
    !holders.has(element)
  );
}
