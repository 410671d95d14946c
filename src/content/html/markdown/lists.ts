import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from '../nodes.ts';
import { writeLinkedContent } from './links.ts';
import type { ElementRule, MarkdownBlock, MarkdownWriter } from './writer.ts';
import { joinBlocks } from './writer.ts';

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

/**
 * A list. A list right after another one gets a different marker, because equal markers would merge the two.
 */
export const list: ElementRule = (writer, element) => {
  writer.endText();
  if (writer.isInline || !writer.canIndent) {
    writer.walk(element.children);
    writer.endText();
    return;
  }
  if (writeFootnotes(writer, element)) return;
  const isOrdered = element.name === 'ol';
  const [first, other] = isOrdered ? ['.', ')'] : ['-', '*'];
  const end = writer.lastBlock?.marker === first ? (other ?? '') : (first ?? '');
  const start = isOrdered ? startNumber(element) : 1;
  const items = collectItems(element, writer).filter(
    ({ length }) => length > 0 || !writer.options.tidy || isOrdered,
  );
  if (items.every(({ length }) => length === 0) && (writer.options.tidy || items.length === 0)) return;
  const parts = items.map((blocks, place) => renderItem(blocks, isOrdered ? `${start + place}${end}` : end));
  const kept = parts.filter((_, place) => items[place]?.length || !writer.options.tidy);
  const text = kept.join(items.some(isLoose) ? '\n\n' : '\n');
  writer.addBlock({ kind: start === 1 && items[0]?.length ? 'list' : 'other', text, marker: end });
};

/** A list item outside any list, or in a list that was flattened. */
export const orphanItem: ElementRule = (writer, element) => {
  writer.endText();
  if (writer.isInline || !writer.canIndent) {
    writer.walk(element.children);
    writer.endText();
    return;
  }
  const blocks = writer.collectBlocks(true, () => writer.walk(element.children));
  if (blocks.length === 0) return;
  const { lastBlock } = writer;
  if (lastBlock?.kind === 'item') lastBlock.text += `\n${renderItem(blocks, '-')}`;
  else writer.addBlock({ kind: 'item', text: renderItem(blocks, '-'), marker: '-' });
};

/**
 * A definition. GFM has no syntax for it; a single text is written after a colon below its term, as many
 * tools do.
 */
export const definition: ElementRule = (writer, element) => {
  writer.endText();
  if (writer.isInline) {
    writer.walk(element.children);
    writer.endText();
    return;
  }
  const { lastBlock } = writer;
  const blocks = writer.collectBlocks(false, () => writer.walk(element.children));
  const [only, ...more] = blocks;
  if (!only) return;
  const isText = more.length === 0 && isTextBlock(only) && !only.text.includes('\n\n');
  if (isText && lastBlock?.kind === 'text') lastBlock.text += `\n: ${only.text}`;
  else for (const block of blocks) writer.addBlock(block);
};

/** The number of the first item: its own `value`, or the `start` of the list. */
const startNumber = ({ attribs, children }: Element) => {
  const first = children.filter(isTag).find(({ name }) => name === 'li');
  const start = Number.parseInt(first?.attribs.value ?? attribs.start ?? '1', 10);
  return start >= 0 && start < 1e9 ? start : 1;
};

/** Collects the blocks of each item. A list between two items belongs to the item before it. */
function collectItems(parent: Element, writer: MarkdownWriter): MarkdownBlock[][] {
  const items: MarkdownBlock[][] = [];
  const add = (nodes: readonly ChildNode[], around?: Element) => {
    for (const node of nodes) {
      if (isText(node) ? node.data.trim() === '' : !isTag(node)) continue;
      if (isTag(node) && node.name === 'li')
        items.push(writer.collectBlocks(true, () => walkItem(writer, node, around)));
      else if (isTag(node) && !LISTS.has(node.name) && hasItems(node))
        add(node.children, node.name === 'a' ? node : around);
      else {
        const blocks = writer.collectBlocks(true, () => writer.walk([node]));
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

/** Writes the content of an item. @param link a link around the item, if any */
const walkItem = (writer: MarkdownWriter, item: Element, link: Element | undefined) =>
  link ? writeLinkedContent(writer, link, item) : writer.walk(item.children);

const hasItems = ({ children }: Element) => children.some((child) => isTag(child) && child.name === 'li');

/** Whether blocks of an item need a blank line between them (CommonMark's loose list). */
const isLoose = (blocks: MarkdownBlock[]) =>
  blocks.some(
    (block, place) =>
      (block.text.includes('\n\n') && block.kind !== 'list' && block.kind !== 'other') ||
      (place > 0 && !isTight(blocks[place - 1], block)),
  );

/** Whether a block can follow another without a blank line. */
const isTight = (above: MarkdownBlock | undefined, { kind }: MarkdownBlock) =>
  kind === 'list'
    ? above !== undefined && (isTextBlock(above) || above.kind === 'heading')
    : kind === 'text' && above?.kind === 'heading';

const isTextBlock = ({ kind }: MarkdownBlock) => kind === 'text' || kind === 'paragraph';

function renderItem(blocks: MarkdownBlock[], marker: string): string {
  const indent = ' '.repeat(marker.length + 1);
  const text = blocks.reduce((above, block, place) => {
    // Dashes right after the marker would be read as a thematic break.
    const text = block.kind === 'rule' ? '___' : block.text;
    if (place === 0) return isTextBlock(block) && /^-[- ]*(?:\n|$)/.test(text) ? `\\${text}` : text;
    return above + (isTight(blocks[place - 1], block) ? '\n' : '\n\n') + text;
  }, '');
  return text ? `${marker} ${text.replace(/\n(?=[^\n])/g, `\n${indent}`)}` : marker;
}

/** A block quote: every line gets the prefix. */
export const blockquote: ElementRule = (writer, element) => {
  writer.endText();
  if (writer.isInline || !writer.canIndent) {
    writer.walk(element.children);
    writer.endText();
    return;
  }
  const text = joinBlocks(writer.collectBlocks(true, () => writer.walk(element.children)));
  if (!text && writer.options.tidy) return;
  writer.addBlock({
    kind: 'other',
    text: `> ${text.replace(/\n(?=[^\n])/g, '\n> ').replace(/\n(?=\n)/g, '\n>')}`.trimEnd(),
  });
};

/** Writes the items of a list as footnotes if all of them are. @returns whether they were */
function writeFootnotes(writer: MarkdownWriter, list: Element): boolean {
  const items = list.children.filter(isTag);
  const { notes } = writer.footnotes;
  if (notes.size === 0 || items.length === 0 || !items.every((item) => notes.has(item))) return false;
  for (const item of items) {
    const text = joinBlocks(writer.collectBlocks(true, () => writer.walk(item.children)));
    writer.addBlock({
      kind: 'other',
      text: `[^${notes.get(item)}]: ${text.replace(/\n(?=[^\n])/g, '\n    ')}`.trimEnd(),
    });
  }
  return true;
}
