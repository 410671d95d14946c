import type { Element } from 'domhandler';
import { hasAttributes, isParentElement, isTag } from '../../nodes.ts';
import { isCollapseToggle, isInHeading } from '../page-index/collapsibles.ts';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import type { BoilerplateKind, NameHint } from '../page-index/name-hints.ts';
import { FORM_WORD, type PageIndex } from '../page-index/page-index.ts';
import type { PageType } from '../page-type/page-type.ts';
import { isCaption, isInCaption } from './captions.ts';
import { isClonedElement } from './cloned-elements.ts';
import { isInParagraph, isPermalink, isSourceLink } from './link-kinds.ts';
import { type ElementContext, findThreshold, TEXT_PAGE_TYPES } from './thresholds.ts';
import { isHiddenElement } from './visibility.ts';

/** Elements that are boilerplate by their tag if they have at most this share of the page. */
const MAX_SHARE_BY_TAG: Record<string, number> = { form: 0.3, fieldset: 0.3, dialog: 0.8 };
/** The same by ARIA role. */
const MAX_SHARE_BY_ROLE: Record<string, number> = {
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
/** Maximum share of boilerplate when the content is known to be in another element. */
const MAX_SHARE_BESIDE_CONTENT = 0.85;
/** If forms cover more of the page, it uses them as containers and they are not boilerplate. */
const MAX_FORM_COVERAGE = 0.5;
const CONTROLS = new Set(['button', 'label', 'select', 'textarea']);
/** The kinds of names of text for screen readers. */
const HIDING_KINDS = new Set<BoilerplateKind>(['screenReaderOnly', 'hiddenByClass']);
/** A toggle with fewer characters of text opens a menu rather than the answer to a question. */
const MIN_QUESTION_LENGTH = 12;

/** Whether an element is boilerplate, by its tag, role, visibility or class names and id. */
export function isBoilerplate(
  element: Element,
  measured: ElementMeasure,
  isInMain: boolean,
  index: PageIndex,
): boolean {
  if (!hasAttributes(element)) return isBoilerplateByTag(element, measured, isInMain, index) ?? false;
  if (isClonedElement(element)) return true;
  const share = index.shareOf(measured);
  // Tags and roles are more reliable than names, so names are checked only if they decide nothing.
  return (
    isBoilerplateByTag(element, measured, isInMain, index) ??
    isBoilerplateByRole(element, share) ??
    ((!index.collapsibleIds.has(element.attribs.id ?? '') && isHiddenElement(element, share, index)) ||
      isBoilerplateByName(element, measured, isInMain, index))
  );
}

/** Whether an element is boilerplate by its tag; `undefined` if the tag does not decide. */
function isBoilerplateByTag(
  element: Element,
  measured: ElementMeasure,
  isInMain: boolean,
  index: PageIndex,
): boolean | undefined {
  const { type, contentAncestors, coverageOf } = index;
  const share = index.shareOf(measured);
  const { headings, length, prose, quotes } = measured;
  const { name } = element;
  if (name === 'form' && coverageOf(FORM_WORD) > MAX_FORM_COVERAGE) return undefined;
  const largest = MAX_SHARE_BY_TAG[name];
  if (largest !== undefined) return share <= largest;
  switch (name) {
    case 'nav':
      return prose === 0 || share <= 0.6;
    case 'header':
      // A header inside an article contains the title and the introduction.
      return (
        !isInMain &&
        share <= (contentAncestors.size && !contentAncestors.has(element) ? MAX_SHARE_BESIDE_CONTENT : 0.4)
      );
    case 'a':
      return (
        isPermalink(element, length) ||
        isSourceLink(element) ||
        (isInParagraph(element, index) ? false : undefined)
      );
    case 'aside': {
      // Documentation also uses `aside` for notes and footnotes.
      const isQuote = isInMain && (quotes > 0 || (type === 'documentation' && prose > 0));
      return (
        !isQuote &&
        !contentAncestors.has(element) &&
        share <= (contentAncestors.size ? MAX_SHARE_BESIDE_CONTENT : 0.4)
      );
    }
    case 'footer':
      return (
        share <= (contentAncestors.size && !contentAncestors.has(element) ? MAX_SHARE_BESIDE_CONTENT : 0.5)
      );
    case 'figcaption':
      return TEXT_PAGE_TYPES.includes(type) && !isCaption(element, measured, index);
    case 'noscript':
      // Usually a request to enable JavaScript, sometimes the whole page.
      return length > 0 && (share < 0.2 || length < 300);
    default:
      // Accordions use buttons as headings.
      return CONTROLS.has(name)
        ? headings === 0 &&
            !index.codeTabs.has(element) &&
            !(name === 'button' && (isHeadingText(element, length, index) || isQuestion(element, length)))
        : undefined;
  }
}

/** Whether an element is most of a heading's text instead of an icon beside it. */
function isHeadingText(element: Element, length: number, { measures }: PageIndex): boolean {
  const around = isInHeading(element) ? element.parent : null;
  return isParentElement(around) ? length > 0.5 * (measures.get(around)?.length ?? 0) : false;
}

/** Whether an element is a question whose answer expands below it. */
const isQuestion = (element: Element, length: number) =>
  isCollapseToggle(element) && length >= MIN_QUESTION_LENGTH;

function isBoilerplateByRole({ attribs }: Element, share: number): boolean | undefined {
  if (attribs['aria-modal'] === 'true') return true;
  const largest = MAX_SHARE_BY_ROLE[attribs.role ?? ''];
  return largest === undefined ? undefined : share <= largest;
}

function isBoilerplateByName(
  element: Element,
  measured: ElementMeasure,
  isInMain: boolean,
  index: PageIndex,
): boolean {
  const hints = index.nameHints.get(element);
  if (!hints) return false;
  const context = { element, share: index.shareOf(measured), isInMain, type: index.type };
  return hints.some((hint) => isHintAccepted(hint, element, measured, context, index));
}

function isHintAccepted(
  { word, kind }: NameHint,
  element: Element,
  measured: ElementMeasure,
  context: ElementContext,
  index: PageIndex,
): boolean {
  const threshold = findThreshold(kind, index.type);
  if (!threshold || index.contentAncestors.has(element) || index.codeTabs.has(element)) return false;
  if (kind === 'control' && isQuestion(element, measured.length)) return false;
  if (kind === 'caption' && isCaption(element, measured, index)) return false;
  if (kind === 'photoCredit' && isInCaption(element)) return false;
  if (HIDING_KINDS.has(kind) && index.spokenTexts.get(element) === 'replacement') return false;
  const { maxShare, ignoresCoverage, alwaysWhenSmall, condition } = threshold;
  const coverage = index.coverageOf(word);
  if (alwaysWhenSmall && measured.prose === 0 && measured.length < 200 && coverage <= 0.3) return true;
  const isEverywhere = !ignoresCoverage && coverage > maxShare;
  return context.share <= maxShare && !isEverywhere && (condition?.(measured, context) ?? true);
}

/** The elements that are checked for being lists of links, by page type. */
const LINK_LIST_ELEMENTS: Partial<Record<PageType, string[]>> = {
  article: ['div', 'p', 'section'],
  forum: ['div', 'p', 'section'],
  product: ['div', 'section', 'ul'],
  service: ['section'],
};

/** Whether an element consists of links to other pages. */
export function isLinkList(element: Element, measured: ElementMeasure, index: PageIndex): boolean {
  const { type, contentAncestors, shareOf } = index;
  const { links, linked, length, downloads } = measured;
  return (
    (LINK_LIST_ELEMENTS[type]?.includes(element.name) ?? false) &&
    links > downloads &&
    linked > 0.8 * length &&
    shareOf(measured) < 0.3 &&
    !contentAncestors.has(element) &&
    !(links === 1 && isLastParagraph(element, index))
  );
}

/** Whether a paragraph is the last of a text. A text may end with a paragraph that is one link. */
function isLastParagraph({ name, prev, next }: Element, { measures }: PageIndex): boolean {
  if (name !== 'p') return false;
  const lengthOf = (node: Element) => measures.get(node)?.length ?? 0;
  for (let at = next; at; at = at.next) if (isTag(at) && at.name === 'p' && lengthOf(at) > 0) return false;
  for (let at = prev; at; at = at.prev) if (isTag(at) && (measures.get(at)?.prose ?? 0) > 0) return true;
  return false;
}
