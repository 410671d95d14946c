import { Element, isTag, type ParentNode, Text } from 'domhandler';
import { removeElement, textContent } from 'domutils';
import { type Chapter, elementsOf, NOTE_MARK, resolved } from './chapter.ts';

/** Marks of notes, such as `1`, `[12]` and `*`. */
const MARK = /^[[(]?(?:\d{1,4}|[*†‡§]{1,3}|[a-z]|[ivx]{1,5})[\])]?$/i;
const NOTE_REFERENCE = /\bnoteref\b/;
const NOTE = /\b(?:foot|rear|end)notes?\b/;
const BLOCK = /^(?:aside|p|li|div|section|dd|td)$/;

/** A note of a book as an item of a list. */
export interface BookNote {
  item: Element;
  /** The page on which it was, whose references it has. */
  path: string;
}

const typeOf = ({ attribs }: Element) => `${attribs['epub:type'] ?? ''} ${attribs.role ?? ''}`;

/**
 * Takes the notes of a book out of its pages, and writes their references as those of other documents are
 * written. A link is a reference where the book says so, or where it is a mark with which the text begins to
 * which it leads.
 * @returns the notes in the order of their first references, each with the page on which it was
 */
export function takeNotes(chapters: readonly Chapter[]): BookNote[] {
  const places = new Map<string, Element>();
  const pages = new Map<Element, string>();
  for (const { path, body } of chapters)
    for (const element of elementsOf(body)) {
      if (!element.attribs.id) continue;
      places.set(`${path}#${element.attribs.id}`, element);
    }
  const numbers = new Map<Element, number>();
  for (const { path, body } of chapters)
    for (const link of [...elementsOf(body)].filter(({ name }) => name === 'a')) {
      const note = noteOf(link, path, places);
      if (!note) continue;
      pages.set(note, resolved(link.attribs.href ?? '', path).file);
      const known = numbers.get(note);
      const number = known ?? numbers.size + 1;
      numbers.set(note, number);
      writeReference(link, number, known === undefined);
    }
  return [...numbers].map(([note, number]) => ({
    item: listItem(note, number),
    path: pages.get(note) ?? '',
  }));
}

function noteOf(link: Element, path: string, places: ReadonlyMap<string, Element>): Element | undefined {
  const { href = '' } = link.attribs;
  const { file, id } = resolved(href, path);
  const target = id === undefined || /^[a-z]+:/i.test(href) ? undefined : places.get(`${file}#${id}`);
  const note = target && blockOf(target);
  if (!note || isAround(note, link)) return undefined;
  const mark = textContent(link).trim();
  if (NOTE_REFERENCE.test(typeOf(link)) || NOTE.test(typeOf(note))) return MARK.test(mark) ? note : undefined;
  const letters = mark.replace(/[[\]()]/g, '');
  const text = textContent(note).trim().replace(/^[[(]/, '');
  const isMark =
    MARK.test(mark) && text.startsWith(letters) && /^[\])]?[.:)\]\s]/.test(text.slice(letters.length));
  return isMark ? note : undefined;
}

/** The block of a note: the identifier can be at a mark within it. */
function blockOf(target: Element): Element | undefined {
  for (let element: Element | undefined = target, steps = 0; element && steps < 4; steps++) {
    if (BLOCK.test(element.name)) return element;
    element = element.parent && isTag(element.parent) ? element.parent : undefined;
  }
  return undefined;
}

function isAround(outer: Element, inner: Element): boolean {
  for (let at: ParentNode | null = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}

/** Writes a reference without a superscript around it, because it becomes one. */
function writeReference(link: Element, number: number, isFirst: boolean): void {
  const { parent } = link;
  const isAlone = parent && isTag(parent) && parent.name === 'sup' && parent.children.length === 1;
  const element = isAlone ? (parent as Element) : link;
  link.attribs = { href: `#note-${number}`, [NOTE_MARK]: '', ...(isFirst && { id: `note-ref-${number}` }) };
  link.children = [new Text(String(number))];
  if (isAlone) return;
  const copy = new Element('a', link.attribs, link.children);
  element.name = 'sup';
  element.attribs = {};
  element.children = [copy];
  copy.parent = element;
}

/** The note as an item of the list of notes, without its mark and links back. */
function listItem(note: Element, number: number): Element {
  removeElement(note);
  for (const element of [...elementsOf(note)])
    if (
      element.name === 'a' &&
      /^(?:[↩↑^]|\W{0,2}\d{1,4}\W{0,2}|back|return)[\ufe0e\ufe0f]?$/i.test(textContent(element).trim())
    )
      removeElement(element);
  const first = firstText(note);
  if (first) first.data = first.data.replace(/^\s*[[(]?\d{1,4}[\])]?[.:)\s]\s*/, '');
  const back = new Element('a', { href: `#note-ref-${number}`, [NOTE_MARK]: '' }, [new Text('↩')]);
  return new Element('li', { id: `note-${number}` }, [...note.children, new Text(' '), back]);
}

function firstText(node: ParentNode): Text | undefined {
  for (const child of node.children) {
    if (child.type === 'text' && (child as Text).data.trim()) return child as Text;
    const inner = isTag(child) ? firstText(child) : undefined;
    if (inner) return inner;
  }
  return undefined;
}
