import { type Document, type Element, isTag } from 'domhandler';
import { findAll } from 'domutils';
import { textOf } from '../html/text.ts';
import { type Field, shownField } from './fields.ts';
import { isPrice } from './numbers.ts';

/** What is longer is no label, and no value of one. */
const MOST_LABEL = 60;
const MOST_VALUE = 2_000;
const MOST_LINE = 300;
const MOST_PAIRS = 2_000;
const MOST_ENTRIES = 500;

/** What a page shows with a name: descriptions of terms, rows of two cells, `Label: value`, lists under headings. */
export function shownFields(tree: Document): Field[] {
  const elements = findAll(() => true, tree.children);
  const fields: Field[] = [];
  const add = (label: string, value: string | string[], trust: number) => {
    const name = label.replace(/[\s::*]+$/u, '').trim();
    if (name === '' || name.length > MOST_LABEL || value.length === 0 || fields.length > MOST_PAIRS) return;
    fields.push(...shownField(name, value, trust));
  };
  let heading = '';
  for (const element of elements) {
    const { name } = element;
    if (/^h[1-6]$/.test(name)) heading = textOf(element, MOST_VALUE);
    else if (name === 'dt') add(textOf(element, MOST_LABEL * 2), describedBy(element), 0.95);
    else if (name === 'table') addRows(element, add);
    else if (name === 'ul' || name === 'ol') {
      add(heading, entriesOf(element), 0.85);
      heading = '';
    } else if (/^(?:p|li|div|span)$/.test(name)) addLine(element, add);
  }
  return [...fields, ...headings(elements), ...soleClasses(elements), ...soleTimes(elements)];
}

type Add = (label: string, value: string | string[], trust: number) => void;

function describedBy(term: Element): string {
  for (let next = term.next; next; next = next.next) {
    if (isTag(next) && next.name === 'dd') return textOf(next, MOST_VALUE);
    if (isTag(next) && next.name === 'dt') break;
  }
  return '';
}

/** The children that are elements. */
export const childrenOf = (element: Element): Element[] => element.children.filter(isTag);

export const cellsOf = (row: Element): Element[] =>
  childrenOf(row).filter(({ name }) => name === 'td' || name === 'th');

/** Rows of the table itself, none of tables inside it. */
export function rowsOf(table: Element): Element[] {
  return childrenOf(table).flatMap((child) => {
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name)
      ? childrenOf(child).filter(({ name }) => name === 'tr')
      : [];
  });
}

/** Whether the cells of a row are all names of columns. */
export const isHeader = (row: Element) => {
  const cells = cellsOf(row);
  return cells.length > 1 && cells.every(({ name }) => name === 'th');
};

/** Rows of a label and a value; below names of columns they are records. */
function addRows(table: Element, add: Add): void {
  const rows = rowsOf(table).slice(0, MOST_ENTRIES);
  if (rows[0] && isHeader(rows[0])) return;
  for (const row of rows) {
    const [label, value, ...others] = cellsOf(row);
    if (!label || !value || value.name === 'th' || others.length > 0) continue;
    add(textOf(label, MOST_LABEL * 2), textOf(value, MOST_VALUE), label.name === 'th' ? 0.95 : 0.9);
  }
}

function entriesOf(list: Element): string[] {
  return childrenOf(list)
    .filter(({ name }) => name === 'li')
    .slice(0, MOST_ENTRIES)
    .map((entry) => textOf(entry, MOST_VALUE))
    .filter((text) => text !== '');
}

/** `Label: value` in a line of its own. */
function addLine(element: Element, add: Add): void {
  if (
    element.children.length > 8 ||
    childrenOf(element).some(({ name }) => /^(?:p|div|ul|ol|table|li|dl)$/.test(name))
  ) {
    return;
  }
  const text = textOf(element, MOST_LINE + 1);
  const colon = text.search(/[::]\s|:/u);
  if (
    colon < 2 ||
    colon > 40 ||
    text.length > MOST_LINE ||
    (element.name === 'span' && !/^\S+:\s/.test(text))
  )
    return;
  const value = text.slice(colon + 1).trim();
  if (value !== '') add(text.slice(0, colon), value, 0.85);
}

/** The one main heading is what the page calls its thing. */
function headings(elements: Element[]): Field[] {
  const first = elements.filter(({ name }) => name === 'h1');
  const text = first.length === 1 ? textOf(first[0]!, MOST_VALUE) : '';
  return text === '' ? [] : shownField('heading', text, 0.9);
}

/** What a class names, where only one element has it. */
function soleClasses(elements: Element[]): Field[] {
  const holders = new Map<string, Element | undefined>();
  for (const element of elements) {
    for (const name of classNames(element)) holders.set(name, holders.has(name) ? undefined : element);
  }
  return [...holders].flatMap(([name, element]) => {
    const text = element && childrenOf(element).length < 8 ? textOf(element, MOST_LINE + 1) : '';
    return text === '' || text.length > MOST_LINE ? [] : shownField(name, text, 0.7);
  });
}

/** Names that the classes of an element give it; of `card__price` that is `price`. */
export const classNames = ({ attribs }: Element): string[] =>
  (attribs.class ?? '')
    .split(/\s+/)
    .slice(0, 10)
    .map((name) => name.split('__').at(-1)!.split('--')[0]!)
    .filter((name) => /^[a-z][\w-]{2,40}$/i.test(name));

function soleTimes(elements: Element[]): Field[] {
  const times = elements.filter(({ name }) => name === 'time');
  const [time] = times;
  return times.length === 1 && time ? [timeField(time, 0.7)] : [];
}

/** A moment by its attribute, else by what it shows. */
export const timeField = (time: Element, trust: number): Field => ({
  name: 'date',
  value: time.attribs.datetime ?? textOf(time, MOST_LABEL),
  trust,
  isData: time.attribs.datetime !== undefined,
});

/** What is shown of money, in short texts of their own. */
export const isPriceShown = (element: Element) =>
  childrenOf(element).length === 0 && isPrice(textOf(element, MOST_LABEL));
