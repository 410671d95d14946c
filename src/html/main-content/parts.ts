import { type Element, isTag } from 'domhandler';
import { isInText, isPermalink, isSourceLink } from './anchors.ts';
import { ARTICLES, beliefIn, type Context } from './beliefs.ts';
import { isCaption, isInCaption } from './captions.ts';
import { isCopy } from './copies.ts';
import { isFold, isInHeading } from './folds.ts';
import type { Measured } from './measure.ts';
import type { Hint } from './names.ts';
import type { PageType } from './page-type.ts';
import { FORM, type Survey } from './survey.ts';
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
/** What unfolds more than a menu says what it is, in so many characters. */
const SHORTEST_QUESTION = 12;

/** Whether an element is a part of the page beside its main content, by its tag, role or names. */
export function isPart(element: Element, measured: Measured, isInMain: boolean, survey: Survey): boolean {
  if (isCopy(element)) return true;
  const context = { element, share: survey.shareOf(measured), isInMain, type: survey.type };
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
  measured: Measured,
  { share, isInMain }: Context,
  survey: Survey,
): boolean | undefined {
  const { type, holders, coverageOf } = survey;
  const { headings, length, prose, quotes } = measured;
  const { name } = element;
  if (name === 'form' && coverageOf(FORM) > MOST_OF_FORMS) return undefined;
  const most = TAGS[name];
  if (most !== undefined) return share <= most;
  switch (name) {
    case 'nav':
      return prose === 0 || share <= 0.6;
    case 'header':
      // Inside an article it has the title and the introduction.
      return !isInMain && share <= (holders.size && !holders.has(element) ? MOST_BESIDE : 0.4);
    case 'a':
      return (
        isPermalink(element, length) ||
        isSourceLink(element) ||
        (isInText(element, survey) ? false : undefined)
      );
    case 'aside': {
      // Notes and footnotes of documentation are set aside, too.
      const isQuote = isInMain && (quotes > 0 || (type === 'documentation' && prose > 0));
      return !isQuote && !holders.has(element) && share <= (holders.size ? MOST_BESIDE : 0.4);
    }
    case 'footer':
      return share <= (holders.size && !holders.has(element) ? MOST_BESIDE : 0.5);
    case 'figcaption':
      return ARTICLES.includes(type) && !isCaption(element, measured, survey);
    case 'noscript':
      // Often a request to switch scripts on, sometimes the page itself.
      return length > 0 && (share < 0.2 || length < 300);
    default:
      // The headings of an accordion are buttons.
      return CONTROLS.has(name)
        ? headings === 0 &&
            !(name === 'button' && (isHeadingItself(element, length, survey) || isQuestion(element, length)))
        : undefined;
  }
}

/** Whether it is the heading itself and not a sign beside its words. */
function isHeadingItself(element: Element, length: number, { measures }: Survey): boolean {
  const around = isInHeading(element) && element.parent;
  return around && isTag(around) ? length > 0.5 * (measures.get(around)?.length ?? 0) : false;
}

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
  const belief = beliefIn(part, survey.type);
  if (!belief || survey.holders.has(element)) return false;
  if (part === 'control' && isQuestion(element, measured.length)) return false;
  if (part === 'caption' && isCaption(element, measured, survey)) return false;
  if (part === 'credit' && isInCaption(element)) return false;
  const { most, isSure, isOfSmallThings, also } = belief;
  const coverage = survey.coverageOf(word);
  if (isOfSmallThings && measured.prose === 0 && measured.length < 200 && coverage <= 0.3) return true;
  const isEverywhere = !isSure && coverage > most;
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
export function isListOfLinks(element: Element, measured: Measured, survey: Survey): boolean {
  const { type, holders, shareOf } = survey;
  const { links, linked, length, downloads } = measured;
  return (
    (LINK_LISTS[type]?.includes(element.name) ?? false) &&
    links > downloads &&
    linked > 0.8 * length &&
    shareOf(measured) < 0.3 &&
    !holders.has(element) &&
    !(links === 1 && isLastParagraph(element, survey))
  );
}

/** Whether a paragraph is the last one of a text: what it leads to is what the text ends with. */
function isLastParagraph({ name, prev, next }: Element, { measures }: Survey): boolean {
  if (name !== 'p') return false;
  const lengthOf = (node: Element) => measures.get(node)?.length ?? 0;
  for (let at = next; at; at = at.next) if (isTag(at) && at.name === 'p' && lengthOf(at) > 0) return false;
  for (let at = prev; at; at = at.prev) if (isTag(at) && (measures.get(at)?.prose ?? 0) > 0) return true;
  return false;
}
