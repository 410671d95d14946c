import { type ChildNode, type Document, type Element, isTag, type ParentNode } from 'domhandler';
import { findAll } from 'domutils';
import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { itemsOf, type StructuredData } from '../html/structured-data/structured-data.ts';
import { textOf } from '../html/text.ts';
import { documentBaseUrl, resolveUrl } from '../html/urls.ts';
import { createVisibleField, type Field, itemFields } from './fields.ts';
import {
  childElements,
  classNames,
  createTimeField,
  findCells,
  findRows,
  isHeaderRow,
  isVisiblePrice,
} from './visible-fields.ts';

/** A repeated structure of a page: rows with the same kind of fields. */
export interface Records {
  /** Their type, or the heading above them; may be empty. */
  name: string;
  rows: Field[][];
}

const MAX_GROUPS = 100;
const MAX_ROWS = 500;
/** Bounds for cards, which are searched for in the whole page. */
const MAX_CARDS = 3_000;
const MAX_CARD_ELEMENTS = 100;
const MAX_CARD_TEXT = 500;
const MAX_TEXT = 2_000;

/**
 * Finds the repeated structures of a page: structured items of one type, table rows, and elements that look
 * alike.
 */
export function findRecords(
  tree: Document | undefined,
  structuredData: StructuredData,
  url: string,
): Records[] {
  return [
    ...recordsFromItems(itemsOf(structuredData)),
    ...(tree ? [...recordsFromTables(tree), ...recordsFromCards(tree, url)] : []),
  ].slice(0, MAX_GROUPS);
}

function recordsFromItems(items: JsonLdItem[]): Records[] {
  const byType = Map.groupBy(items, (item) => String(item['@type'] ?? ''));
  return [...byType]
    .filter(([, members]) => members.length > 1)
    .map(([name, members]) => ({
      name,
      rows: members.slice(0, MAX_ROWS).map((item) => itemFields(item)),
    }));
}

function recordsFromTables(tree: Document): Records[] {
  return findAll(({ name }) => name === 'table', tree.children)
    .slice(0, MAX_GROUPS)
    .flatMap((table) => {
      const rows = findRows(table);
      const header = rows.findIndex(isHeaderRow);
      if (header < 0 || rows.length < header + 2) return [];
      const names = findCells(rows[header]!).map((cell) => textOf(cell, 100));
      const caption = findAll(({ name }) => name === 'caption', table.children)[0];
      return [
        {
          name: caption ? textOf(caption, 100) : headingBefore(table),
          rows: rows.slice(header + 1, header + 1 + MAX_ROWS).map((row) => rowFields(row, names)),
        },
      ];
    });
}

const rowFields = (row: Element, names: string[]): Field[] =>
  findCells(row).flatMap((cell, at) => {
    const text = textOf(cell, MAX_TEXT);
    return names[at] && text !== '' ? createVisibleField(names[at], text, 0.95) : [];
  });

/** The text of the nearest heading before an element. */
function headingBefore(element: Element): string {
  for (let node: Element | undefined = element, steps = 0; node && steps < 50; steps++) {
    if (/^h[1-6]$/.test(node.name)) return textOf(node, 100);
    let previous: ChildNode | null = node.prev;
    while (previous && !isTag(previous)) previous = previous.prev;
    const parent: ParentNode | null = node.parent;
    node = previous ?? (parent && isTag(parent) ? parent : undefined);
  }
  return '';
}

/** Finds cards: siblings with the same element name and classes, most of which have several fields. */
function recordsFromCards(tree: Document, url: string): Records[] {
  const base = documentBaseUrl(tree, url);
  const groups: Records[] = [];
  let cards = 0;
  for (const parent of findAll(({ children }) => children.length > 1, tree.children)) {
    if (groups.length >= MAX_GROUPS || cards > MAX_CARDS) break;
    const kinds = Map.groupBy(childElements(parent), ({ name, attribs }) =>
      `${name} ${attribs.class ?? ''}`.trim(),
    );
    for (const members of kinds.values()) {
      if (
        members.length < 2 ||
        /^(?:tr|td|th|option|br|p|dt|dd|ul|ol|dl|table|a|span|script)$/.test(members[0]!.name)
      )
        continue;
      const rows = members.slice(0, MAX_ROWS).map((card) => cardFields(card, base));
      cards += rows.length;
      if (rows.filter((fields) => fields.length > 1).length > rows.length / 2) {
        groups.push({ name: headingBefore(members[0]!), rows });
      }
    }
  }
  return groups;
}

/**
 * The fields of a card: heading, link, image, date, price, texts named by classes, and `Label: value` lines.
 */
function cardFields(card: Element, base: string): Field[] {
  const parts = cardElements(card);
  const first = (isWanted: (element: Element) => boolean) => parts.find(isWanted);
  const heading = first(({ name }) => /^h[1-6]$/.test(name));
  const link = first(({ name, attribs }) => name === 'a' && Boolean(attribs.href));
  const image = first(({ name, attribs }) => name === 'img' && Boolean(attribs.src));
  const time = first(({ name }) => name === 'time');
  const price = first(isVisiblePrice);
  const absolute = (value: string | undefined) => (value && resolveUrl(value, base)) || '';
  return [
    ...(heading ? createVisibleField('name', textOf(heading, MAX_CARD_TEXT), 0.9) : []),
    ...(link && !heading ? createVisibleField('name', textOf(link, MAX_CARD_TEXT), 0.6) : []),
    ...(link ? [{ name: 'url', value: absolute(link.attribs.href), trust: 0.9, isData: true }] : []),
    ...(image ? [{ name: 'image', value: absolute(image.attribs.src), trust: 0.9, isData: true }] : []),
    ...(time ? [createTimeField(time, 0.85)] : []),
    ...(price ? createVisibleField('price', textOf(price, 60), 0.8) : []),
    ...parts.slice(1).flatMap((part) => labelledFields(part)),
  ].filter(({ value }) => value !== '');
}

/** The card and the elements inside it, in document order. */
function cardElements(card: Element): Element[] {
  const parts: Element[] = [];
  const stack = [card];
  for (let part = stack.pop(); part && parts.length < MAX_CARD_ELEMENTS; part = stack.pop()) {
    parts.push(part);
    stack.push(...childElements(part).slice(0, MAX_CARD_ELEMENTS).reverse());
  }
  return parts;
}

function labelledFields(part: Element): Field[] {
  const text = part.children.length > 12 ? '' : textOf(part, MAX_CARD_TEXT);
  if (text === '') return [];
  const [, label, value] = /^([^::]{2,40})[::]\s*(\S.*)$/u.exec(text.slice(0, 300)) ?? [];
  return [
    ...classNames(part).flatMap((name) => createVisibleField(name, text, 0.75)),
    ...(label && value ? createVisibleField(label, value, 0.85) : []),
  ];
}
