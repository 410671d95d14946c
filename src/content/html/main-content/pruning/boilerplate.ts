import type { Element } from 'domhandler';
import { closest, hasAttributes, isHeading, isParentElement, isTag } from '../../nodes.ts';
import { textOf } from '../../text.ts';
import { PASSAGES } from '../evidence/outline.ts';
import type { Sign } from '../evidence/sign.ts';
import { isCollapseToggle, isInHeading } from '../page-index/collapsibles.ts';
import type { ElementMeasure } from '../page-index/element-measures.ts';
import { FORM_WORD } from '../page-index/name-coverage.ts';
import type { BoilerplateKind, NameHint } from '../page-index/name-hints.ts';
import type { PageIndex } from '../page-index/page-index.ts';
import type { PageType } from '../page-type/page-type.ts';
import { isCaption, isInCaption } from './captions.ts';
import { isClonedElement } from './cloned-elements.ts';
import { isInParagraph, isPager, isPermalink, isSourceLink, linksWithinPage } from './link-kinds.ts';
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
const NOTICE_ROLES = new Set(['alert', 'status']);
/** Maximum share of boilerplate when the content is known to be in another element. */
const MAX_SHARE_BESIDE_CONTENT = 0.85;
/** If forms cover more of the page, it uses them as containers and they are not boilerplate. */
const MAX_FORM_COVERAGE = 0.5;
const CONTROLS = new Set(['button', 'label', 'select', 'textarea']);
/** Texts for screen readers are a smaller share of a page. */
const MAX_HIDDEN_COVERAGE = 0.3;
/** Elements that may hold the links to the pages around a page. */
const PAGERS = new Set(['div', 'p', 'ul', 'table', 'nav', 'section', 'header', 'footer']);
const PAGER: Sign = { kind: 'links', detail: 'links to the previous and next page' };
const NO_SIGNS: readonly Sign[] = [];
/** Names of these kinds tell that readers do not see an element. */
const HIDING = new Set<BoilerplateKind>(['hiddenByClass', 'screenReaderOnly', 'print']);
/** The kinds of names of text for screen readers. */
const HIDING_KINDS = new Set<BoilerplateKind>(['screenReaderOnly', 'hiddenByClass']);
/** Words for what leads to another page. A text without a link is the page's own: its introduction, or text that expands. */
const LEADING = new Set(['teaser', 'readmore']);
const CAPTIONS = new Set<BoilerplateKind>(['caption', 'photoCredit']);
/** The beginning of a caption that the text refers to. */
const NUMBERED_CAPTION =
  /^(figure|fig\.|table|listing|example|abbildung|abb\.|tabelle|tableau|figura|tabla|рис\.|図|表|图)\s*\d/i;
/** Captions beside their pictures are kept, so this one has none. */
const BARE_CAPTION: Sign = { kind: 'shape', detail: 'caption without a picture' };
const MAX_NUMBER_LENGTH = 40;
/** Characters that are not blank of a note in a text, and its largest share of links. */
const MIN_NOTE_LENGTH = 20;
const MAX_LINKED_SHARE_OF_NOTE = 0.3;
/** The number of siblings of the same form that tell that a name is that of a variant, among as many nodes. */
const MIN_OTHERS = 2;
const MAX_SIBLINGS = 60;
/** The kind of name that says what the tag already says, and is no second sign beside it. */
const SAME_AS_TAG: Partial<Record<string, BoilerplateKind>> = {
  nav: 'navigation',
  aside: 'sidebar',
  footer: 'footer',
  header: 'banner',
  form: 'form',
  dialog: 'dialog',
};
/** A toggle with fewer characters of text opens a menu rather than the answer to a question. */
const MIN_QUESTION_LENGTH = 12;
const MAX_QUESTION_LENGTH = 300;
const QUESTION = /[?？؟]$/;
/** Class names and roles of notes in a text. */
const NOTE = /(^|[\s_-])(admonition|footnotes?|endnotes?|note|callout|warning|tip)([\s_-]|$)/i;
const NOTE_ROLE = /^(note|doc-.+)$/;

/**
 * The signs that an element is boilerplate: its tag, role, visibility, class names and id.
 * @returns no signs if its tag or role tells that it is content
 */
export function findSigns(
  element: Element,
  measured: ElementMeasure,
  isInMain: boolean,
  index: PageIndex,
): readonly Sign[] {
  if (PAGERS.has(element.name) && !index.contentAncestors.has(element) && isPager(element, measured, index))
    return [PAGER];
  const byTag = isBoilerplateByTag(element, measured, isInMain, index);
  if (!hasAttributes(element)) return byTag ? [tagSign(element)] : NO_SIGNS;
  if (isClonedElement(element)) return [{ kind: 'hidden', detail: 'copy of another element' }];
  if (byTag === false) return NO_SIGNS;
  const share = index.shareOf(measured);
  const byRole = isBoilerplateByRole(element, share) && !isNotice(element, measured, index);
  if (byRole === false && byTag === undefined) return NO_SIGNS;
  const signs: Sign[] = [];
  if (byTag) signs.push(tagSign(element));
  if (element.name === 'figcaption' && byTag) signs.push(BARE_CAPTION);
  if (byRole) signs.push({ kind: 'tag', detail: `role ${element.attribs.role ?? 'dialog'}` });
  if (!index.collapsibleIds.has(element.attribs.id ?? '') && isHiddenElement(element, share, index))
    signs.push({ kind: 'hidden', detail: 'hidden' });
  const hint = findAcceptedHint(element, measured, isInMain, index);
  if (hint && !(signs.length && SAME_AS_TAG[element.name] === hint.kind))
    signs.push({ kind: HIDING.has(hint.kind) ? 'hidden' : 'name', detail: hint.word });
  if (hint && CAPTIONS.has(hint.kind) && !isAmongParagraphs(element, index)) signs.push(BARE_CAPTION);
  return signs;
}

/** Whether an element is one paragraph of a text. A caption stands by itself. */
const isAmongParagraphs = ({ name, prev, next }: Element, { measures }: PageIndex): boolean =>
  name === 'p' &&
  [prev, next].some((start, side) => {
    for (let at = start; at; at = side ? at.next : at.prev)
      if (isTag(at)) return at.name === 'p' && (measures.get(at)?.prose ?? 0) > 0;
    return false;
  });

/** Whether a caption has a number, by which the text refers to it. */
const isNumberedCaption = (element: Element) => NUMBERED_CAPTION.test(textOf(element, MAX_NUMBER_LENGTH));

/** Whether an element is the text of an item, as the label of a box to tick is. */
const isListItem = (element: Element['parent']) => isParentElement(element) && element.name === 'li';

/** Whether an element is marked as a note. */
const isNote = ({ attribs }: Element) => NOTE.test(attribs.class ?? '') || NOTE_ROLE.test(attribs.role ?? '');

/** Whether an element stands among the passages of a text, as a note does, and has text rather than links. */
const isAmongPassages = (
  { prev, next }: Element,
  { length, linked, headings }: ElementMeasure,
  { measures }: PageIndex,
) =>
  length >= MIN_NOTE_LENGTH &&
  headings === 0 &&
  linked <= MAX_LINKED_SHARE_OF_NOTE * length &&
  [prev, next].every((start, side) => {
    for (let at = start; at; at = side ? at.next : at.prev)
      if (isTag(at) && (measures.get(at)?.length ?? 0) > 0)
        return PASSAGES.has(at.name) || isHeading(at) || at.name === 'aside' || at.name === 'section';
    return side === 1;
  });

/** Whether an element is one of several of the same form, of which the others have no name of boilerplate. */
function isVariant({ name, attribs, parent }: Element, { nameHints }: PageIndex): boolean {
  // Most elements have one class, which tells without a list of them.
  if (!isParentElement(parent) || !/\S\s+\S/.test(attribs.class ?? '')) return false;
  const classes = attribs.class?.trim().split(/\s+/) ?? [];
  let others = 0;
  let looked = 0;
  for (const one of parent.children) {
    if (++looked > MAX_SIBLINGS || others >= MIN_OTHERS) break;
    if (!isTag(one) || one.name !== name || nameHints.has(one)) continue;
    const own = one.attribs.class?.trim().split(/\s+/) ?? [];
    if (own.length > 0 && own.every((word) => classes.includes(word))) others++;
  }
  return others >= MIN_OTHERS;
}

const tagSign = ({ name }: Element): Sign => ({ kind: 'tag', detail: name });

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
      // A header inside an article contains the title and the introduction, that of a section its heading.
      return (
        !isInMain &&
        !(
          element.parent &&
          isParentElement(element.parent) &&
          element.parent.name === 'section' &&
          headings > 0
        ) &&
        share <= (contentAncestors.size && !contentAncestors.has(element) ? MAX_SHARE_BESIDE_CONTENT : 0.4)
      );
    case 'a':
      return (
        isPermalink(element, length) ||
        (isInParagraph(element, index) ? false : isSourceLink(element, length) || undefined)
      );
    case 'aside': {
      // Documentation also uses `aside` for notes and footnotes.
      const isQuote = isInMain && (quotes > 0 || (type === 'documentation' && prose > 0));
      return (
        !isQuote &&
        !isNote(element) &&
        !(isInMain && isAmongPassages(element, measured, index)) &&
        !contentAncestors.has(element) &&
        share <= (contentAncestors.size ? MAX_SHARE_BESIDE_CONTENT : 0.4)
      );
    }
    case 'footer':
      return (
        !isEndOfPart(element, measured, isInMain) &&
        share <= (contentAncestors.size && !contentAncestors.has(element) ? MAX_SHARE_BESIDE_CONTENT : 0.5)
      );
    case 'figcaption':
      return (
        TEXT_PAGE_TYPES.includes(type) && !isCaption(element, measured, index) && !isNumberedCaption(element)
      );
    case 'noscript':
      // Usually a request to enable JavaScript, sometimes the whole page.
      return length > 0 && (share < 0.2 || length < 300);
    default:
      // Accordions use buttons as headings.
      return CONTROLS.has(name)
        ? headings === 0 &&
            !(name === 'label' && isListItem(element.parent)) &&
            !index.codeTabs.has(element) &&
            !(name === 'button' && (isHeadingText(element, length, index) || isQuestion(element, length)))
        : undefined;
  }
}

/** Whether a footer is that of a quote, or of a section of a text, such as its source, and has text rather than links. */
function isEndOfPart({ parent }: Element, { length, linked }: ElementMeasure, isInMain: boolean): boolean {
  if (!isParentElement(parent)) return false;
  if (parent.name === 'blockquote') return true;
  return isInMain && parent.name === 'section' && linked <= MAX_LINKED_SHARE_OF_NOTE * length;
}

/** Whether an element is most of a heading's text instead of an icon beside it. */
function isHeadingText(element: Element, length: number, { measures }: PageIndex): boolean {
  const around = isInHeading(element) ? element.parent : null;
  return isParentElement(around) ? length > 0.5 * (measures.get(around)?.length ?? 0) : false;
}

/** Whether an element is a question whose answer expands below it. */
const isQuestion = (element: Element, length: number) =>
  length >= MIN_QUESTION_LENGTH &&
  (isCollapseToggle(element) || QUESTION.test(textOf(element, MAX_QUESTION_LENGTH)));

/** Whether an element is announced as soon as it is shown, and stands among the passages of a text as a warning does. */
const isNotice = (element: Element, measured: ElementMeasure, index: PageIndex) =>
  NOTICE_ROLES.has(element.attribs.role ?? '') && isAmongPassages(element, measured, index);

function isBoilerplateByRole({ attribs }: Element, share: number): boolean | undefined {
  const role = attribs['aria-modal'] === 'true' ? 'dialog' : (attribs.role ?? '');
  const largest = MAX_SHARE_BY_ROLE[role];
  return largest === undefined ? undefined : share <= largest;
}

/** The first hint in the names of an element that is evidence on this page. */
function findAcceptedHint(
  element: Element,
  measured: ElementMeasure,
  isInMain: boolean,
  index: PageIndex,
): NameHint | undefined {
  const hints = index.nameHints.get(element);
  if (!hints) return undefined;
  const context = { element, share: index.shareOf(measured), isInMain, type: index.type };
  return hints.find((hint) => isHintAccepted(hint, element, measured, context, index));
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
  // What a link that skips the navigation leads to is the content.
  if (word === 'skip' && measured.linked < measured.length) return false;
  // A text that readers expand is not the control that expands it.
  // A link that has a tooltip is not the tooltip.
  if (kind === 'tooltip' && element.name === 'a') return false;
  if (kind === 'control' && (element.name === 'details' || isQuestion(element, measured.length)))
    return false;
  if (kind === 'caption' && (isCaption(element, measured, index) || isNumberedCaption(element))) return false;
  if (kind === 'photoCredit' && isInCaption(element)) return false;
  if (LEADING.has(word) && !leadsElsewhere(element, measured, index)) return false;
  if (HIDING_KINDS.has(kind) && index.spokenTexts.get(element) === 'replacement') return false;
  const { maxShare, ignoresCoverage, alwaysWhenSmall, condition } = threshold;
  const coverage = index.coverageOf(word);
  if (alwaysWhenSmall && measured.prose === 0 && measured.length < 200 && coverage <= 0.3)
    return !isVariant(element, index);
  const isEverywhere =
    (!ignoresCoverage && coverage > maxShare) ||
    // Some software puts all text below the window off screen until it is scrolled to.
    (kind === 'screenReaderOnly' && measured.prose > 0 && coverage > MAX_HIDDEN_COVERAGE);
  return (
    context.share <= maxShare &&
    !isEverywhere &&
    (condition?.(measured, context) ?? true) &&
    !isVariant(element, index)
  );
}

/** Whether an element has links, is in one, or stands below a heading that is a link. */
function leadsElsewhere(
  { parent }: Element,
  { links, linked }: ElementMeasure,
  { measures }: PageIndex,
): boolean {
  if (links > 0 || linked > 0 || !isParentElement(parent)) return true;
  return parent.children
    .slice(0, MAX_SIBLINGS)
    .some((one) => isTag(one) && isHeading(one) && (measures.get(one)?.linked ?? 0) > 0);
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
  const { type, contentAncestors, codeTabs, shareOf } = index;
  const { links, linked, length, downloads, quotes } = measured;
  return (
    (LINK_LIST_ELEMENTS[type]?.includes(element.name) ?? false) &&
    links > downloads &&
    quotes === 0 &&
    linked > 0.8 * length &&
    shareOf(measured) < 0.3 &&
    !contentAncestors.has(element) &&
    !codeTabs.has(element) &&
    // The text of a post that is embedded as a quote may be a link to it.
    closest(element.parent, ({ name }) => name === 'blockquote') === undefined &&
    !(links === 1 && (isLastParagraph(element, index) || showsUrl(element))) &&
    !(isLinkedHeading(measured) && introducesText(element, index))
  );
}

/** Whether an element shows a URL, as a text does that is read on paper too. Labels have words. */
const showsUrl = (element: Element) => /^\W*(https?:\/\/|www\.)\S+$/.test(textOf(element, MAX_URL_LENGTH));
const MAX_URL_LENGTH = 500;

/** Whether an element is one heading that is a link, with its anchor. */
const isLinkedHeading = ({ headings, links, pictures }: ElementMeasure) =>
  headings === 1 && links <= 2 && pictures === 0;

/** Whether text follows an element, or those that hold nothing else. Manuals link headings to themselves. */
function introducesText(element: Element, { measures }: PageIndex): boolean {
  const lengthOf = (one: Element) => measures.get(one)?.length ?? 0;
  let outer = element;
  while (isParentElement(outer.parent) && lengthOf(outer.parent) === lengthOf(element)) outer = outer.parent;
  for (let at = outer.next; at; at = at.next)
    if (isTag(at) && lengthOf(at) > 0) return (measures.get(at)?.prose ?? 0) > 0 || linksWithinPage(at);
  return false;
}

/** Whether a paragraph is the last of a text. A text may end with a paragraph that is one link. */
function isLastParagraph({ name, prev, next }: Element, { measures }: PageIndex): boolean {
  if (name !== 'p') return false;
  const lengthOf = (node: Element) => measures.get(node)?.length ?? 0;
  for (let at = next; at; at = at.next) if (isTag(at) && at.name === 'p' && lengthOf(at) > 0) return false;
  for (let at = prev; at; at = at.prev) if (isTag(at) && (measures.get(at)?.prose ?? 0) > 0) return true;
  return false;
}
