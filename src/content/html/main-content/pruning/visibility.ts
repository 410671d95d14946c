import type { Element } from 'domhandler';
import { isHoverNote } from '../../hover-notes.ts';
import { isBlock } from '../../text.ts';
import type { PageIndex } from '../page-index/page-index.ts';

/** An element with a larger share of the page is kept although it is hidden. */
const MAX_HIDDEN_SHARE = 0.3;
/** The same for microdata, which may repeat the whole text. */
const MAX_HIDDEN_DATA_SHARE = 0.8;
/** Classes of elements that are hidden until the reader expands them. */
const COLLAPSIBLE_CLASS = /accordion|collaps|panel|tab|faq|answer|expand/i;
/**
 * Blocks that are a part of what is seen around them, as elements within a line are. Screen readers get them
 * in other words.
 */
const SEEN_BLOCKS = new Set(
  'p h1 h2 h3 h4 h5 h6 dt dd td th tr thead tbody tfoot caption figcaption blockquote li'.split(' '),
);
const CELL_ROLE = /^(?:cell|gridcell|(?:column|row)header|row)$/;
/** Classes of fonts that show the name of an icon as the icon. */
const ICON_FONT = /(?:^|\s)(?:google-)?(?:material-(?:icons|symbols)|mat-icon)/;
/** Slides out of view have `aria-hidden` too. On product pages they show other products. */
const SLIDES = new Set(['li']);
/** Ids of fragments that React streams after the page and moves into place with a script. */
const STREAMED_ID = /^S:/;

/** Attributes of containers that a script shows and hides, such as dialogs, menus and slides. */
const TOGGLED_ATTRIBUTES = ['role', 'tabindex', 'inert', 'aria-modal', 'aria-label', 'aria-labelledby'];
/** Running text that is hidden has at most this share of linked text. */
const MAX_LINKED_SHARE = 0.2;

/** The facts about a page that tell whether an element is hidden. */
type VisibilityIndex = Pick<PageIndex, 'type' | 'measures' | 'nameHints' | 'spokenTexts'>;

/**
 * Whether an element is hidden from readers.
 * @param share the element's share of the page; a page that is hidden as a whole is shown later by a script
 */
export function isHiddenElement(element: Element, share: number, index: VisibilityIndex): boolean {
  const { attribs } = element;
  if (share > (attribs.itemscope === undefined ? MAX_HIDDEN_SHARE : MAX_HIDDEN_DATA_SHARE)) return false;
  const spoken = index.spokenTexts.get(element);
  if (spoken === 'replaced' || spoken === 'replacement') return spoken === 'replaced';
  const isHidden =
    attribs.hidden !== undefined ||
    /display:\s*none/i.test(attribs.style ?? '') ||
    (attribs['aria-hidden'] === 'true' && !isSeen(element, index));
  return (
    isHidden &&
    !STREAMED_ID.test(attribs.id ?? '') &&
    !isHoverNote(element) &&
    !COLLAPSIBLE_CLASS.test(attribs.class ?? '') &&
    !/^(tabpanel|region)$/.test(attribs.role ?? '')
  );
}

/**
 * Whether an element that screen readers skip is seen. They get a part of a line, of a table or of a text in
 * other words. A container may be a closed dialog, a menu or a slide out of view as well, so it is seen only
 * if it has running text and nothing else says that a script shows and hides it.
 */
function isSeen(element: Element, { type, measures, nameHints, spokenTexts }: VisibilityIndex): boolean {
  const { name, attribs } = element;
  if (spokenTexts.get(element) === 'seen') return true;
  if (ICON_FONT.test(attribs.class ?? '') || (type === 'product' && SLIDES.has(name))) return false;
  const isContainer = (isBlock(name) || name.includes('-')) && !SEEN_BLOCKS.has(name);
  if (!isContainer || CELL_ROLE.test(attribs.role ?? '')) return true;
  const { prose = 0, linked = 0, length = 0 } = measures.get(element) ?? {};
  return (
    prose > 0 &&
    linked <= MAX_LINKED_SHARE * length &&
    !nameHints.has(element) &&
    TOGGLED_ATTRIBUTES.every((attribute) => attribs[attribute] === undefined)
  );
}
