import { type Document, type Element, isTag } from 'domhandler';
import { findAll } from 'domutils';
import { textOf } from '../html/text.ts';
import { createVisibleField, type Field } from './fields.ts';
import { isPriceText } from './values/numbers.ts';

/** Most characters of a label, of a value, and of a line with both. */
const MAX_LABEL = 60;
const MAX_VALUE = 2_000;
const MAX_LINE = 300;
const MAX_PAIRS = 2_000;
const MAX_ENTRIES = 500;

/**
 * Extracts the values that a page shows with a label: definition lists, table rows of two cells,
 * `Label: value` lines, lists under headings.
 */
export function extractVisibleFields(tree: Document): Field[] {
  const elements = findAll(() => true, tree.children);
  const fields: Field[] = [];
  const add = (label: string, value: string | string[], trust: number) => {
    const name = label.replace(/[\s::*]+$/u, '').trim();
    if (name === '' || name.length > MAX_LABEL || value.length === 0 || fields.length > MAX_PAIRS) return;
    fields.push(...createVisibleField(name, value, trust));
  };
  let heading = '';
  for (const element of elements) {
    const { name } = element;
    if (/^h[1-6]$/.test(name)) heading = textOf(element, MAX_VALUE);
    else if (name === 'dt') add(textOf(element, MAX_LABEL * 2), definitionText(element), 0.95);
    else if (name === 'table') addRows(element, add);
    else if (name === 'ul' || name === 'ol') {
      add(heading, listEntries(element), 0.85);
      heading = '';
    } else if (/^(?:p|li|div|span)$/.test(name)) addLine(element, add);
  }
  return [...fields, ...mainHeading(elements), ...uniqueClassFields(elements), ...uniqueTimeField(elements)];
}

type Add = (label: string, value: string | string[], trust: number) => void;

function definitionText(term: Element): string {
  for (let next = term.next; next; next = next.next) {
    if (isTag(next) && next.name === 'dd') return textOf(next, MAX_VALUE);
    if (isTag(next) && next.name === 'dt') break;
  }
  return '';
}

/** The children of an element that are elements. */
export const childElements = (element: Element): Element[] => element.children.filter(isTag);

/** The cells of a table row, header cells included. */
export const findCells = (row: Element): Element[] =>
  childElements(row).filter(({ name }) => name === 'td' || name === 'th');

/** Finds the rows of a table, without those of nested tables. */
export function findRows(table: Element): Element[] {
  return childElements(table).flatMap((child) => {
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name)
      ? childElements(child).filter(({ name }) => name === 'tr')
      : [];
  });
}

/** Whether all cells of a row are header cells. */
export const isHeaderRow = (row: Element) => {
  const cells = findCells(row);
  return cells.length > 1 && cells.every(({ name }) => name === 'th');
};

/** Adds rows of a label and a value. A table with a header row holds records instead. */
function addRows(table: Element, add: Add): void {
  const rows = findRows(table).slice(0, MAX_ENTRIES);
  if (rows[0] && isHeaderRow(rows[0])) return;
  for (const row of rows) {
    const [label, value, ...others] = findCells(row);
    if (!label || !value || value.name === 'th' || others.length > 0) continue;
    add(textOf(label, MAX_LABEL * 2), textOf(value, MAX_VALUE), label.name === 'th' ? 0.95 : 0.9);
  }
}

function listEntries(list: Element): string[] {
  return childElements(list)
    .filter(({ name }) => name === 'li')
    .slice(0, MAX_ENTRIES)
    .map((entry) => textOf(entry, MAX_VALUE))
    .filter((text) => text !== '');
}

/** Adds an element that is a single `Label: value` line. */
function addLine(element: Element, add: Add): void {
  if (
    element.children.length > 8 ||
    childElements(element).some(({ name }) => /^(?:p|div|ul|ol|table|li|dl)$/.test(name))
  ) {
    return;
  }
  const text = textOf(element, MAX_LINE + 1);
  const colon = text.search(/[::]\s|:/u);
  if (colon < 2 || colon > 40 || text.length > MAX_LINE || (element.name === 'span' && !/^\S+:\s/.test(text)))
    return;
  const value = text.slice(colon + 1).trim();
  if (value !== '') add(text.slice(0, colon), value, 0.85);
}

/** The main heading, if there is exactly one, names the subject of the page. */
function mainHeading(elements: Element[]): Field[] {
  const first = elements.filter(({ name }) => name === 'h1');
  const text = first.length === 1 ? textOf(first[0]!, MAX_VALUE) : '';
  return text === '' ? [] : createVisibleField('heading', text, 0.9);
}

/** The text of an element, named by a class that no other element has. */
function uniqueClassFields(elements: Element[]): Field[] {
  const holders = new Map<string, Element | undefined>();
  for (const element of elements) {
    for (const name of classNames(element)) holders.set(name, holders.has(name) ? undefined : element);
  }
  return [...holders].flatMap(([name, element]) => {
    const text = element && childElements(element).length < 8 ? textOf(element, MAX_LINE + 1) : '';
    return text === '' || text.length > MAX_LINE ? [] : createVisibleField(name, text, 0.7);
  });
}

/** Field names from the classes of an element: `card__price` gives `price` (BEM). */
export const classNames = ({ attribs }: Element): string[] =>
  (attribs.class ?? '')
    .split(/\s+/)
    .slice(0, 10)
    .map((name) => name.split('__').at(-1)!.split('--')[0]!)
    .filter((name) => /^[a-z][\w-]{2,40}$/i.test(name));

function uniqueTimeField(elements: Element[]): Field[] {
  const times = elements.filter(({ name }) => name === 'time');
  const [time] = times;
  return times.length === 1 && time ? [createTimeField(time, 0.7)] : [];
}

/** A date field from a `time` element: its `datetime` attribute, otherwise its text. */
export const createTimeField = (time: Element, trust: number): Field => ({
  name: 'date',
  value: time.attribs.datetime ?? textOf(time, MAX_LABEL),
  trust,
  isData: time.attribs.datetime !== undefined,
});

/** Whether an element is a short text with an amount of money. */
export const isVisiblePrice = (element: Element) =>
  childElements(element).length === 0 && isPriceText(textOf(element, MAX_LABEL));
