import type { Element } from 'domhandler';
import { nextElementSibling, prevElementSibling } from 'domutils';
import { isCodeListing } from '../../code-listing.ts';
import { childrenOf, isHeading, isParentElement, isTag } from '../../nodes.ts';
import type { Measure, Measures } from './element-measures.ts';
import { findNameHints, type NameHint } from './name-hints.ts';

/** Weight of linked text relative to other text, where prose is not counted. */
const LINKED_TEXT_WEIGHT = 0.3;

const CODE = new Set(['pre', 'code']);
const CELLS = new Set(['td', 'th']);

const NO_WORDS: string[] = [];

/** The word under which the coverage of `form` elements is counted. */
export const FORM_WORD = 'form';

/** The weights of a measure: its prose, and its text with linked text counted less. */
export interface Weights {
  prose: number;
  text: number;
}

export const weightsOf = ({ prose, length, linked }: Measure): Weights => ({
  prose,
  text: length - linked * (1 - LINKED_TEXT_WEIGHT),
});

/**
 * Collects the name hints of all elements and the text that each word covers. Nested elements with the same
 * word count once.
 */
export class NameCoverage {
  readonly hints = new Map<Element, readonly NameHint[]>();
  readonly #coverage = new Map<string, Weights>();
  /** The words of the elements around the one that is read. */
  readonly #open = new Set<string>();
  readonly #measures: Measures;
  readonly #hasAnchors: boolean;

  /** @param hasAnchors whether ids on the page name what it describes */
  constructor(measures: Measures, hasAnchors: boolean) {
    this.#measures = measures;
    this.#hasAnchors = hasAnchors;
  }

  /** The weight of the elements with a word in their names. */
  of(word: string, weighed: keyof Weights): number {
    return this.#coverage.get(word)?.[weighed] ?? 0;
  }

  /**
   * Adds all elements in an element.
   * @param around the passage that the element is in, where names are those of what the text is about
   */
  add(element: Element, around?: Passage): void {
    for (const child of childrenOf(element)) {
      const measured = isTag(child) ? this.#measures.get(child) : undefined;
      if (!isTag(child) || !measured) continue;
      const opened = this.#cover(child, measured, around ?? (isHeading(child) ? 'text' : undefined));
      this.add(child, around === 'code' ? around : (passageIn(child, measured) ?? around));
      for (const word of opened) this.#open.delete(word);
    }
  }

  /** Counts an element for the words of its names. @returns those that it is the outermost element of */
  #cover(element: Element, measured: Measure, passage: Passage | undefined): string[] {
    const all = findNameHints(element, this.#hasAnchors);
    const own = passage ? all.filter((hint) => tellsIn(passage, hint, element)) : all;
    // The coverage of forms tells whether a page uses them as containers.
    const isForm = element.name === 'form';
    if (own.length === 0 && !isForm) return NO_WORDS;
    if (own.length) this.hints.set(element, own);
    const words = new Set(own.map(({ word }) => word).filter((word) => !this.#open.has(word)));
    if (isForm && !this.#open.has(FORM_WORD)) words.add(FORM_WORD);
    const { prose, text } = weightsOf(measured);
    for (const word of words) {
      this.#open.add(word);
      this.#coverage.set(word, { prose: prose + this.of(word, 'prose'), text: text + this.of(word, 'text') });
    }
    return [...words];
  }
}

/** A passage of text or of code. */
type Passage = 'text' | 'code';

/** What an element holds if that is one passage. */
function passageIn(element: Element, measured: Measure): Passage | undefined {
  if (CODE.has(element.name) || isCodeListing(element)) return 'code';
  return element.name === 'p' || isHeading(element) || isDataCell(element, measured) ? 'text' : undefined;
}

/** Whether an element is a cell of a table of data. Tables that lay a page out have headings or one row. */
function isDataCell({ name, parent: row }: Element, { headings }: Measure): boolean {
  if (!CELLS.has(name) || headings > 0 || !isParentElement(row)) return false;
  return (
    prevElementSibling(row) !== null ||
    nextElementSibling(row) !== null ||
    (isParentElement(row.parent) && prevElementSibling(row.parent)?.name === 'thead')
  );
}

/**
 * Whether a hint counts inside of a passage. Class names there are those of what the text is about, and in code those of a
 * highlighter, such as `comment`, `none`, and `sr` for a regular expression. Only mdBook hides lines of an example.
 */
const tellsIn = (passage: Passage, { kind, word }: NameHint, element: Element) =>
  passage === 'text'
    ? kind === 'hiddenByClass' || kind === 'screenReaderOnly' || word === 'editsection'
    : kind === 'hiddenByClass' && isBoringLine(element);

/** Whether an element is a line that mdBook hides until the reader asks for it. */
const isBoringLine = ({ attribs, parent }: Element) =>
  attribs.class === 'boring' && isParentElement(parent) && /\blanguage-\w/.test(parent.attribs.class ?? '');
