import { posix } from 'node:path';
import { type ChildNode, Element, isTag, type ParentNode, Text } from 'domhandler';
import { textContent } from 'domutils';
import { setChildren } from '../../../html/parse/parse.ts';
import { oneLine } from '../../../html/text.ts';
import { apart, REMOVED } from '../../embedded-html.ts';
import { decoded } from './package.ts';

/** Elements that markdown and readers know by another name. */
const RENAMED: Record<string, string> = { b: 'strong', i: 'em' };
const HEADING = /^h[1-6]$/;
/** Attributes that readers of other pages understand. */
const ATTRIBUTES =
  /^(?:colspan|rowspan|start|type|checked|value|lang|dir|reversed|open|close|separators|accent|linethickness|mathvariant|alt|src|href)$/;
/** The attribute of references to notes. */
export const NOTE_MARK = 'data-note';

/** Where links of an e-book lead. */
export interface BookAnchors {
  /** The fragment of a place: of an element by its identifier, or of the whole chapter. */
  fragment(path: string, id: string | undefined): string | undefined;
  /** The URL of an image; undefined for one that is not wanted. */
  image(path: string): string | undefined;
}

/** A page of an e-book. */
export interface Chapter {
  /** The name in the archive. */
  path: string;
  place: number;
  body: ParentNode;
}

/** Every element of a tree, in document order. Not recursive. */
export function* elementsOf(root: ParentNode): Generator<Element> {
  const waiting = root.children.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isTag(node)) continue;
    yield node;
    waiting.push(...node.children.toReversed());
  }
}

/**
 * Turns the body of a page into a part of the book: without scripts and styles, with identifiers that are
 * unique in the book, links that lead to them, and images that are part of the document.
 */
export function adaptChapter({ path, body }: Chapter, anchors: BookAnchors): void {
  for (const parent of [body, ...elementsOf(body)])
    if (parent.children.some((child) => !isKept(child)))
      setChildren(
        parent,
        parent.children.flatMap((child) => {
          if (isKept(child)) return [child];
          return isTag(child) ? replacement(child, path, anchors) : [];
        }),
      );
  for (const element of elementsOf(body)) {
    element.name = RENAMED[element.name] ?? element.name;
    const { id, ...attributes } = element.attribs;
    // The references of notes lead to the list of notes.
    if (NOTE_MARK in attributes) {
      const { href = '' } = attributes;
      element.attribs = { href, ...(id !== undefined && { id }) };
      continue;
    }
    const fragment = id ? anchors.fragment(path, id) : undefined;
    const isCode = element.name === 'code' || element.name === 'pre';
    const kept = Object.entries(attributes).filter(
      ([name]) => ATTRIBUTES.test(name) || (isCode && name === 'class'),
    );
    element.attribs = { ...Object.fromEntries(kept), ...(fragment && { id: fragment }) };
    if (element.name === 'a') resolveLink(element, path, anchors);
  }
}

function isKept(node: ChildNode): boolean {
  if (!isTag(node)) return node.type === 'text';
  const { name, attribs } = node;
  if (REMOVED.has(name) || name === 'svg') return false;
  if (name === 'img') return attribs.src?.startsWith('document-image:') ?? false;
  return !/\bpagebreak\b/.test(`${attribs['epub:type'] ?? ''} ${attribs.role ?? ''}`);
}

function replacement(element: Element, path: string, anchors: BookAnchors): (Element | Text)[] {
  if (element.name === 'img') return picture(element.attribs.src, element, path, anchors);
  if (element.name !== 'svg') return [];
  const images = [...elementsOf(element)].filter(({ name }) => name === 'image');
  const text = oneLine(textContent(element));
  return [
    ...images.flatMap(({ attribs }) =>
      picture(attribs['xlink:href'] ?? attribs.href, element, path, anchors),
    ),
    ...(text ? [new Text(apart(text, element))] : []),
  ];
}

function picture(src = '', element: Element, path: string, anchors: BookAnchors): (Element | Text)[] {
  const alt = (element.attribs.alt ?? element.attribs['aria-label'] ?? '').trim();
  const url = anchors.image(resolved(src, path).file);
  if (url !== undefined) return [new Element('img', { src: url, alt })];
  return alt ? [new Text(apart(alt, element))] : [];
}

function resolveLink(link: Element, path: string, anchors: BookAnchors): void {
  const { href = '' } = link.attribs;
  if (href === '' || /^(?:https?|mailto|ftp|tel):/i.test(href)) return;
  const { href: _, ...others } = link.attribs;
  const { file, id } = resolved(href, path);
  const fragment = /^[a-z][a-z+.-]*:/i.test(href) ? undefined : anchors.fragment(file, id);
  link.attribs = fragment === undefined ? others : { ...others, href: `#${fragment}` };
}

/** The file to which a reference in a page leads, and the identifier of the element in it. */
export function resolved(href: string, path: string): { file: string; id: string | undefined } {
  const [file = '', id] = href.split('#');
  return {
    file: file === '' ? path : posix.join(posix.dirname(path), decoded(file)),
    id: id ? decoded(id) : undefined,
  };
}

/** Whether an element is a heading. */
export const isHeading = ({ name }: Element): boolean => HEADING.test(name);
