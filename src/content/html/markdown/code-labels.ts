import type { Document, Element } from 'domhandler';
import { textContent } from 'domutils';
import { listElements } from '../element-list.ts';
import { isParentElement, isTag, isText } from '../nodes.ts';
import { oneLine, textOf } from '../text.ts';
import { codeTableAround, detectLanguage, isLanguageName, isSameLanguage } from './code-languages.ts';

/** The labels and buttons that pages put beside blocks of code. */
export interface CodeLabels {
  /** The elements that are left out: names of the language, and buttons that copy the code. */
  readonly elements: ReadonlySet<Element>;
  /** The languages that labels name, of the `pre` elements whose classes name none. */
  readonly languages: ReadonlyMap<Element, string>;
}

export const NO_CODE_LABELS: CodeLabels = { elements: new Set(), languages: new Map() };

const COPY =
  /^(?:copy(?: (?:code|snippet|to clipboard|code to clipboard))?|copied|click to copy|kopieren|copier|copiar(?: código)?|copia|kopiëren|копировать|скопировать|复制(?:代码)?|複製(?:代碼)?|コピー(?:する)?|복사)[!.]?$/i;
/** A block of code has its labels at most this many levels above it. */
const MAX_LEVELS = 4;
/** Elements that are looked at on each side. */
const MAX_SIBLINGS = 10;
/** Characters. A longer element is no label. */
const MAX_LABEL_LENGTH = 60;
/** Elements in which a block of code stands among other text. */
const TEXT_ELEMENTS = new Set('body main article section li td th dd details blockquote'.split(' '));
/** Elements of the text itself, which are no labels. */
const NEVER_LABELS = new Set('p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd pre table blockquote summary'.split(' '));

/**
 * Finds labels by what they say: the language of the code that they stand beside, or to copy it. The names of tabs say which
 * variant of the code follows, and are no labels.
 */
export function findCodeLabels(document: Document): CodeLabels {
  const elements = new Set<Element>();
  const languages = new Map<Element, string>();
  for (const pre of listElements(document)) {
    if (pre.name !== 'pre') continue;
    const search: LabelSearch = { language: detectLanguage(pre), elements };
    const isNamed = search.language !== '';
    findAround(pre, search);
    if (!isNamed && search.language !== '') languages.set(pre, search.language);
  }
  return { elements, languages };
}

/** The search for the labels of one block of code. */
interface LabelSearch {
  /** The language of the code, as far as it is known. */
  language: string;
  elements: Set<Element>;
}

/** Looks at what stands right before and after a block of code, at each level up to the text that it stands in. */
function findAround(pre: Element, search: LabelSearch): void {
  const codes = pre.children.filter(isTag).filter(({ name }) => name === 'code');
  let at = codes.length === 1 ? codes[0]! : (codeTableAround(pre) ?? pre);
  for (let level = 0; level < MAX_LEVELS && isParentElement(at.parent); level++) {
    const { parent } = at;
    const before = labelsOn(at, 'prev', search.language);
    const after = labelsOn(at, 'next', search.language);
    const isFrame = before.isAll && after.isAll && !TEXT_ELEMENTS.has(parent.name);
    // Nothing but a frame around the code shows that a word before it names its language.
    if (isFrame && search.language === '') search.language = languageIn(before.labels);
    for (const { element, text } of [...before.labels, ...after.labels])
      if (COPY.test(text) || isSameLanguage(text, search.language)) search.elements.add(element);
    if (!isFrame) return;
    at = parent === pre ? (codeTableAround(pre) ?? pre) : parent;
  }
}

/** A text beside a block of code, and the element that has nothing else. */
interface Label {
  element: Element;
  text: string;
}

/** Finds the labels right before or after an element, and whether nothing else is on that side. */
function labelsOn(
  element: Element,
  side: 'prev' | 'next',
  language: string,
): { labels: Label[]; isAll: boolean } {
  const labels: Label[] = [];
  const isLanguage = ({ text }: Label) => isLanguageName(text) || isSameLanguage(text, language);
  let at = element[side];
  for (let distance = 0; at && distance < MAX_SIBLINGS; distance++, at = at[side]) {
    if (isText(at) && at.data.trim() !== '') return { labels, isAll: false };
    const text = isTag(at) ? textOf(at, MAX_LABEL_LENGTH + 1) : '';
    if (!isTag(at) || text === '') continue;
    const texts = text.length > MAX_LABEL_LENGTH ? [] : textsIn(at);
    const found = texts.filter((each) => COPY.test(each.text) || isLanguage(each));
    // Several languages are the names of tabs.
    const isTabs = found.filter(isLanguage).length > 1;
    if (!isTabs) labels.push(...found);
    if (isTabs || texts.length === 0 || found.length < texts.length) return { labels, isAll: false };
  }
  return { labels, isAll: at === null };
}

/** The texts in an element, each with its innermost element. Blocks of the text itself and tabs count as empty texts. */
function textsIn(element: Element): Label[] {
  const { name, attribs, children } = element;
  const isTab = attribs.role === 'tab' || (name === 'label' && attribs.for !== undefined);
  if (isTab || NEVER_LABELS.has(name)) return [{ element, text: '' }];
  const hasText = children.some((child) => isText(child) && child.data.trim() !== '');
  return hasText
    ? [{ element, text: oneLine(textContent(element)) }]
    : children.filter(isTag).flatMap(textsIn);
}

/** The language that one of the labels names; an empty string without one. */
const languageIn = (labels: readonly Label[]) => {
  const name = labels.find(({ text }) => isLanguageName(text))?.text ?? '';
  return name.toLowerCase().replace(/\s+/g, '');
};
