import { nestByIndent } from './list-indents.ts';
import type { List, OfficeBlock } from './model.ts';

/**
 * Joins lists that the document model has apart because their numbering differs: a list that is indented more
 * than the one before it, or that begins below its first level, belongs to the last item before it, and a
 * numbered list that continues the one before it belongs to that.
 */
export function nestOfficeLists(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  const joined: OfficeBlock[] = [];
  for (const block of nestByIndent(blocks).map(withNestedLists)) {
    const [before, list] = [joined.at(-1)?.list, block.list];
    if (!before || !list) {
      joined.push(block);
      continue;
    }
    const rest = adoptDeeperItems(before, list);
    if (continues(before, rest)) before.items.push(...rest.items);
    else if (rest.items.length) joined.push({ ...block, list: rest });
  }
  return joined;
}

/** Containers are copied where they change, because the source model stays as it is. */
function withNestedLists(block: OfficeBlock): OfficeBlock {
  if (block.kind === 'blockQuote' && block.blocks) return { ...block, blocks: nestOfficeLists(block.blocks) };
  if (!block.list) return block;
  const items = block.list.items.map((item) => ({ ...item, blocks: nestOfficeLists(item.blocks) }));
  return { ...block, list: numbered({ ...block.list, items }) };
}

/**
 * A list of bullets is numbered if its first item has a printed number, and no other item has one that does
 * not follow.
 */
function numbered(list: List): List {
  const start = Number(/^(\d{1,6})[.)]$/.exec(list.items[0]?.markerLabel ?? '')?.[1] ?? Number.NaN);
  const isSequence = list.items.every(
    ({ markerLabel = '' }, place) => !markerLabel || Number.parseInt(markerLabel, 10) === start + place,
  );
  if (list.marker !== 'bullet' || Number.isNaN(start) || !isSequence) return list;
  const items = list.items.map(({ markerLabel: _, ...item }) => item);
  return { marker: 'decimal', start, items };
}

/** Moves the first items of a list that only contain deeper lists to the last item of the list before it. */
function adoptDeeperItems(before: List, list: List): List {
  const last = before.items.at(-1);
  const count = list.items.findIndex(({ blocks }) => blocks[0]?.kind !== 'list');
  const deeper = list.items.slice(0, count === -1 ? undefined : count);
  if (!last || deeper.length === 0) return list;
  last.blocks = nestOfficeLists([...last.blocks, ...deeper.flatMap(({ blocks }) => blocks)]);
  return { ...list, start: list.start + deeper.length, items: list.items.slice(deeper.length) };
}

const continues = (before: List, { marker, start, items }: List) =>
  items.length > 0 &&
  marker !== 'bullet' &&
  marker === before.marker &&
  start > 1 &&
  start === before.start + before.items.length;
