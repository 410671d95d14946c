import type { List, ListItem, OfficeBlock } from './model.ts';

/** Indents in twips that differ by less are equal: a fourteenth of an inch. */
const TOLERANCE = 100;

/** A list of which all items are indented equally. */
interface IndentedList {
  list: List;
  indent: number;
}

/**
 * Nests neighbouring lists as their indents show them. Lists whose indents are not known stay as they are.
 */
export function nestByIndent(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  const nested: OfficeBlock[] = [];
  let neighbours: IndentedList[] = [];
  const flush = () => {
    nested.push(...nest(neighbours).map((list): OfficeBlock => ({ kind: 'list', list })));
    neighbours = [];
  };
  for (const block of blocks) {
    const indented = block.list && indentedList(block.list);
    if (indented) neighbours.push(indented);
    else {
      flush();
      nested.push(block);
    }
  }
  flush();
  return nested;
}

function indentedList(list: List): IndentedList | undefined {
  const indent = list.items[0]?.blocks[0]?.indent;
  if (indent === undefined) return undefined;
  const isEqual = ({ blocks }: ListItem) =>
    blocks[0]?.indent !== undefined && Math.abs(blocks[0].indent - indent) < TOLERANCE;
  return list.items.every(isEqual) ? { list, indent } : undefined;
}

function nest(lists: readonly IndentedList[]): List[] {
  const roots: List[] = [];
  /** The lists that the next one may continue, each in the last item of the one before it. */
  const open: IndentedList[] = [];
  for (const { list: source, indent } of lists) {
    let hasEnded = false;
    while (open.length > 0 && indent < (open.at(-1)?.indent ?? 0) - TOLERANCE) {
      open.pop();
      hasEnded = true;
    }
    const before = open.at(-1);
    const isDeeper = before !== undefined && indent > before.indent + TOLERANCE;
    if (before && !isDeeper && hasEnded && continues(before.list, source)) {
      before.list.items.push(...source.items);
      continue;
    }
    if (before && !isDeeper) open.pop();
    const list = { ...source, items: [...source.items] };
    const parent = open.at(-1)?.list;
    const last = parent?.items.at(-1);
    if (parent && last)
      parent.items[parent.items.length - 1] = { ...last, blocks: [...last.blocks, { kind: 'list', list }] };
    else roots.push(list);
    open.push({ list, indent });
  }
  return roots;
}

/** Whether a list goes on after one that belongs to its last item. */
const continues = (before: List, { marker, start }: List) =>
  marker === before.marker && (marker === 'bullet' || start === before.start + before.items.length);
