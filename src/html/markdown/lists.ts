import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { linkAround } from './links.ts';
import type { Block, Rule, Writer } from './writer.ts';
import { stacked } from './writer.ts';

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

/** A list. One right after another gets other marks, for both would be one list. */
export const list: Rule = (writer, element) => {
  writer.bound();
  if (writer.isFlat || !writer.canIndent) {
    writer.walk(element.children);
    writer.bound();
    return;
  }
  if (writeNotes(writer, element)) return;
  const isOrdered = element.name === 'ol';
  const [first, other] = isOrdered ? ['.', ')'] : ['-', '*'];
  const end = writer.last?.marker === first ? (other ?? '') : (first ?? '');
  const start = isOrdered ? startOf(element) : 1;
  const items = itemsOf(element, writer).filter(
    ({ length }) => length > 0 || !writer.options.tidy || isOrdered,
  );
  if (items.every(({ length }) => length === 0) && (writer.options.tidy || items.length === 0)) return;
  const parts = items.map((blocks, place) => item(blocks, isOrdered ? `${start + place}${end}` : end));
  const kept = parts.filter((_, place) => items[place]?.length || !writer.options.tidy);
  const text = kept.join(items.some(isLoose) ? '\n\n' : '\n');
  writer.add({ kind: start === 1 && items[0]?.length ? 'list' : 'other', text, marker: end });
};

/** An item outside of any list, or one whose list is flattened. */
export const strayItem: Rule = (writer, element) => {
  writer.bound();
  if (writer.isFlat || !writer.canIndent) {
    writer.walk(element.children);
    writer.bound();
    return;
  }
  const blocks = writer.nested(true, () => writer.walk(element.children));
  if (blocks.length === 0) return;
  const { last } = writer;
  if (last?.kind === 'item') last.text += `\n${item(blocks, '-')}`;
  else writer.add({ kind: 'item', text: item(blocks, '-'), marker: '-' });
};

/** GFM has none: what a term means follows it after a colon, as many tools write it, where that is but one text. */
export const definition: Rule = (writer, element) => {
  writer.bound();
  if (writer.isFlat) {
    writer.walk(element.children);
    writer.bound();
    return;
  }
  const { last } = writer;
  const blocks = writer.nested(false, () => writer.walk(element.children));
  const [only, ...more] = blocks;
  if (!only) return;
  const isText = more.length === 0 && isWords(only) && !only.text.includes('\n\n');
  if (isText && last?.kind === 'text') last.text += `\n: ${only.text}`;
  else for (const block of blocks) writer.add(block);
};

/** The number of the first item, which it may say itself. */
const startOf = ({ attribs, children }: Element) => {
  const first = children.filter(isTag).find(({ name }) => name === 'li');
  const start = Number.parseInt(first?.attribs.value ?? attribs.start ?? '1', 10);
  return start >= 0 && start < 1e9 ? start : 1;
};

/** The blocks of each item; a list between items belongs to the one before it. */
function itemsOf(parent: Element, writer: Writer): Block[][] {
  const items: Block[][] = [];
  const add = (nodes: readonly ChildNode[], around?: Element) => {
    for (const node of nodes) {
      if (isText(node) ? node.data.trim() === '' : !isTag(node)) continue;
      if (isTag(node) && node.name === 'li')
        items.push(writer.nested(true, () => itemText(writer, node, around)));
      else if (isTag(node) && !LISTS.has(node.name) && holdsItems(node))
        add(node.children, node.name === 'a' ? node : around);
      else {
        const blocks = writer.nested(true, () => writer.walk([node]));
        if (blocks.length === 0) continue;
        const before = isTag(node) && LISTS.has(node.name) ? items.at(-1) : undefined;
        if (before) before.push(...blocks);
        else items.push(blocks);
      }
    }
  };
  add(parent.children);
  return items;
}

/** @param link around the item */
const itemText = (writer: Writer, item: Element, link: Element | undefined) =>
  link ? linkAround(writer, link, item) : writer.walk(item.children);

const holdsItems = ({ children }: Element) => children.some((child) => isTag(child) && child.name === 'li');

/** Whether a blank line stands between blocks of an item. */
const isLoose = (blocks: Block[]) =>
  blocks.some(
    (block, place) =>
      (block.text.includes('\n\n') && block.kind !== 'list' && block.kind !== 'other') ||
      (place > 0 && !isTight(blocks[place - 1], block)),
  );

/** Whether a block may stand right below another one. */
const isTight = (above: Block | undefined, { kind }: Block) =>
  kind === 'list'
    ? above !== undefined && (isWords(above) || above.kind === 'heading')
    : kind === 'text' && above?.kind === 'heading';

const isWords = ({ kind }: Block) => kind === 'text' || kind === 'paragraph';

function item(blocks: Block[], marker: string): string {
  const indent = ' '.repeat(marker.length + 1);
  const text = blocks.reduce((above, block, place) => {
    // Dashes right after a dash would be a rule of their own.
    const own = block.kind === 'rule' ? '___' : block.text;
    if (place === 0) return isWords(block) && /^-[- ]*(?:\n|$)/.test(own) ? `\\${own}` : own;
    return above + (isTight(blocks[place - 1], block) ? '\n' : '\n\n') + own;
  }, '');
  return text ? `${marker} ${text.replace(/\n(?=[^\n])/g, `\n${indent}`)}` : marker;
}

/** A quote; every line of it gets its mark. */
export const quote: Rule = (writer, element) => {
  writer.bound();
  if (writer.isFlat || !writer.canIndent) {
    writer.walk(element.children);
    writer.bound();
    return;
  }
  const text = stacked(writer.nested(true, () => writer.walk(element.children)));
  if (!text && writer.options.tidy) return;
  writer.add({
    kind: 'other',
    text: `> ${text.replace(/\n(?=[^\n])/g, '\n> ').replace(/\n(?=\n)/g, '\n>')}`.trimEnd(),
  });
};

/** Writes the items of a list as footnotes, if that is what all of them are. */
function writeNotes(writer: Writer, list: Element): boolean {
  const items = list.children.filter(isTag);
  const { notes } = writer.footnotes;
  if (notes.size === 0 || items.length === 0 || !items.every((item) => notes.has(item))) return false;
  for (const item of items) {
    const text = stacked(writer.nested(true, () => writer.walk(item.children)));
    writer.add({
      kind: 'other',
      text: `[^${notes.get(item)}]: ${text.replace(/\n(?=[^\n])/g, '\n    ')}`.trimEnd(),
    });
  }
  return true;
}
