import { type ChildNode, type Document, type Element, isTag, type ParentNode } from 'domhandler';
import { findAll } from 'domutils';
import { baseOf, resolve } from '../html/address.ts';
import type { Item } from '../html/json-ld.ts';
import { itemsOf, type StructuredData } from '../html/structured-data.ts';
import { textOf } from '../html/text.ts';
import { type Field, fieldsOfItem, shownField } from './fields.ts';
import { cellsOf, childrenOf, classNames, isHeader, isPriceShown, rowsOf, timeField } from './shown.ts';

/** Things of one kind that a page has several of. */
export interface Records {
  /** What the page calls them: their type, or the heading above them; may be empty. */
  name: string;
  rows: Field[][];
}

const MOST_GROUPS = 100;
const MOST_ROWS = 500;
/** Cards are looked for in many places, so there are fewer of them, and less is read of each. */
const MOST_CARDS = 3_000;
const MOST_PARTS = 100;
const MOST_CARD_TEXT = 500;
const MOST_TEXT = 2_000;

/** Everything that a page has several of: described things of one type, rows of tables, entries and cards that look alike. */
export function recordsOf(
  tree: Document | undefined,
  structuredData: StructuredData,
  url: string,
): Records[] {
  return [
    ...ofItems(itemsOf(structuredData)),
    ...(tree ? [...ofTables(tree), ...ofCards(tree, url)] : []),
  ].slice(0, MOST_GROUPS);
}

function ofItems(items: Item[]): Records[] {
  const byType = Map.groupBy(items, (item) => String(item['@type'] ?? ''));
  return [...byType]
    .filter(([, members]) => members.length > 1)
    .map(([name, members]) => ({
      name,
      rows: members.slice(0, MOST_ROWS).map((item) => fieldsOfItem(item)),
    }));
}

function ofTables(tree: Document): Records[] {
  return findAll(({ name }) => name === 'table', tree.children)
    .slice(0, MOST_GROUPS)
    .flatMap((table) => {
      const rows = rowsOf(table);
      const header = rows.findIndex(isHeader);
      if (header < 0 || rows.length < header + 2) return [];
      const names = cellsOf(rows[header]!).map((cell) => textOf(cell, 100));
      const caption = findAll(({ name }) => name === 'caption', table.children)[0];
      return [
        {
          name: caption ? textOf(caption, 100) : headingBefore(table),
          rows: rows.slice(header + 1, header + 1 + MOST_ROWS).map((row) => rowFields(row, names)),
        },
      ];
    });
}

const rowFields = (row: Element, names: string[]): Field[] =>
  cellsOf(row).flatMap((cell, at) => {
    const text = textOf(cell, MOST_TEXT);
    return names[at] && text !== '' ? shownField(names[at], text, 0.95) : [];
  });

/** The text of the last heading in front of an element. */
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

/** Siblings with the same name and classes, where each has more than one thing to say. */
function ofCards(tree: Document, url: string): Records[] {
  const base = baseOf(tree, url);
  const groups: Records[] = [];
  let cards = 0;
  for (const parent of findAll(({ children }) => children.length > 1, tree.children)) {
    if (groups.length >= MOST_GROUPS || cards > MOST_CARDS) break;
    const kinds = Map.groupBy(childrenOf(parent), ({ name, attribs }) =>
      `${name} ${attribs.class ?? ''}`.trim(),
    );
    for (const members of kinds.values()) {
      if (
        members.length < 2 ||
        /^(?:tr|td|th|option|br|p|dt|dd|ul|ol|dl|table|a|span|script)$/.test(members[0]!.name)
      )
        continue;
      const rows = members.slice(0, MOST_ROWS).map((card) => cardFields(card, base));
      cards += rows.length;
      if (rows.filter((fields) => fields.length > 1).length > rows.length / 2) {
        groups.push({ name: headingBefore(members[0]!), rows });
      }
    }
  }
  return groups;
}

/** What a card shows: its heading, link and picture, a moment, an amount, what classes name, and `Label: value`. */
function cardFields(card: Element, base: string): Field[] {
  const parts = partsOf(card);
  const first = (isWanted: (element: Element) => boolean) => parts.find(isWanted);
  const heading = first(({ name }) => /^h[1-6]$/.test(name));
  const link = first(({ name, attribs }) => name === 'a' && Boolean(attribs.href));
  const image = first(({ name, attribs }) => name === 'img' && Boolean(attribs.src));
  const time = first(({ name }) => name === 'time');
  const price = first(isPriceShown);
  const address = (value: string | undefined) => (value && resolve(value, base)) || '';
  return [
    ...(heading ? shownField('name', textOf(heading, MOST_CARD_TEXT), 0.9) : []),
    ...(link && !heading ? shownField('name', textOf(link, MOST_CARD_TEXT), 0.6) : []),
    ...(link ? [{ name: 'url', value: address(link.attribs.href), trust: 0.9, isData: true }] : []),
    ...(image ? [{ name: 'image', value: address(image.attribs.src), trust: 0.9, isData: true }] : []),
    ...(time ? [timeField(time, 0.85)] : []),
    ...(price ? shownField('price', textOf(price, 60), 0.8) : []),
    ...parts.slice(1).flatMap((part) => namedPart(part)),
  ].filter(({ value }) => value !== '');
}

/** The card and the elements inside, in document order. */
function partsOf(card: Element): Element[] {
  const parts: Element[] = [];
  const stack = [card];
  for (let part = stack.pop(); part && parts.length < MOST_PARTS; part = stack.pop()) {
    parts.push(part);
    stack.push(...childrenOf(part).slice(0, MOST_PARTS).reverse());
  }
  return parts;
}

function namedPart(part: Element): Field[] {
  const text = part.children.length > 12 ? '' : textOf(part, MOST_CARD_TEXT);
  if (text === '') return [];
  const [, label, value] = /^([^::]{2,40})[::]\s*(\S.*)$/u.exec(text.slice(0, 300)) ?? [];
  return [
    ...classNames(part).flatMap((name) => shownField(name, text, 0.75)),
    ...(label && value ? shownField(label, value, 0.85) : []),
  ];
}
