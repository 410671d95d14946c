import type { List, ListItem, OfficeBlock } from './model.ts';

/** Whether the label of an item is a number, letter or word instead of a bullet. */
export const isLabel = (label: string): boolean => /[\p{L}\p{N}]/u.test(label);

/**
 * Takes headings out of lists, with their labels, such as `§ 1` or `2.1`: documents number their headings
 * like the items of a list, whose other items are the paragraphs of the chapters.
 */
export function liftHeadings(blocks: readonly OfficeBlock[]): OfficeBlock[] {
  return blocks.flatMap((block) =>
    block.list?.items.some(beginsWithHeading) ? itemsOf(block, block.list) : [block],
  );
}

function itemsOf(block: OfficeBlock, { items, start, ...list }: List): OfficeBlock[] {
  const lifted: OfficeBlock[] = [];
  let open: List | undefined;
  for (const [place, item] of items.entries()) {
    if (beginsWithHeading(item)) {
      open = undefined;
      lifted.push(...liftHeadings(withLabel(item)));
    } else if (open) open.items.push(item);
    else {
      open = { ...list, start: start + place, items: [item] };
      lifted.push({ ...block, list: open });
    }
  }
  return lifted;
}

/** Whether an item begins with a heading, or with a deeper list that does. */
const beginsWithHeading = ({ blocks: [first] }: ListItem): boolean =>
  first?.kind === 'heading' || (first?.list?.items.some(beginsWithHeading) ?? false);

function withLabel({ blocks, markerLabel = '' }: ListItem): OfficeBlock[] {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'heading' || !isLabel(markerLabel)) return blocks;
  return [
    { ...first, content: [{ kind: 'text', text: `${markerLabel} ` }, ...(first.content ?? [])] },
    ...rest,
  ];
}
