import type { Block, SourcePage, Tag, TextBlock, Word } from './types.ts';

/** A tag tree is sound when at least this share of the text is in it, and not all of it under one kind of tag. */
const MIN_TAGGED = 0.8;
const HEADING = /^H([1-6])$/;
const BLOCK_TYPE = /^(H|H[1-6]|P|L|LI|LBody|Lbl|Caption|TH|TD|TOCI|Note|BlockQuote|Figure|Formula|Code)$/;

/** The innermost block tag by marked-content identifier. */
export function blockTypes(tags: readonly Tag[]): Map<number, string> {
  const types = new Map<number, string>();
  const stack = tags.map((tag) => ({ tag, type: '' }));
  for (let top = stack.pop(); top; top = stack.pop()) {
    const own = BLOCK_TYPE.test(top.tag.type) ? top.tag.type : top.type;
    if (own) for (const mcid of top.tag.mcids) types.set(mcid, own);
    for (const tag of top.tag.children) stack.push({ tag, type: own });
  }
  return types;
}

/**
 * Takes headings and their levels from the tags of the document, where these are sound; elsewhere blocks stay as they
 * are. The order of blocks is always that of the page, because the order of tags is often that of the layers of a drawing.
 */
export function applyTags(blocks: readonly Block[], pages: readonly SourcePage[]): Block[] {
  const types = new Map(pages.map(({ number, tags }) => [number, blockTypes(tags)]));
  if (!isSound(pages, types)) return [...blocks];
  return blocks.map((block): Block => {
    if (block.role || (block.kind !== 'paragraph' && block.kind !== 'heading' && block.kind !== 'caption'))
      return block;
    const type = typeOf(block, types.get(block.page) as Map<number, string>);
    const level = HEADING.exec(type ?? '')?.[1];
    if (level) return { ...block, kind: 'heading', level: Number(level) };
    return block.kind === 'heading' && (type === 'P' || type === 'Caption')
      ? { ...block, kind: 'paragraph' }
      : block;
  });
}

/** The tag of most of the text of a block. */
function typeOf({ lines }: TextBlock, types: ReadonlyMap<number, string>): string | undefined {
  const lengths = new Map<string, number>();
  let all = 0;
  for (const { words } of lines)
    for (const { mcid, text } of words) {
      all += text.length;
      const type = mcid === undefined ? undefined : types.get(mcid);
      if (type) lengths.set(type, (lengths.get(type) ?? 0) + text.length);
    }
  return [...lengths].find(([, length]) => length > 0.6 * all)?.[0];
}

function isSound(
  pages: readonly SourcePage[],
  types: ReadonlyMap<number, ReadonlyMap<number, string>>,
): boolean {
  let all = 0;
  let tagged = 0;
  const lengths = new Map<string, number>();
  const count = ({ mcid, text }: Word, own: ReadonlyMap<number, string>) => {
    all += text.length;
    const type = mcid === undefined ? undefined : own.get(mcid);
    if (!type) return;
    tagged += text.length;
    lengths.set(type, (lengths.get(type) ?? 0) + text.length);
  };
  for (const { number, words } of pages)
    for (const word of words) count(word, types.get(number) ?? new Map());
  const headings = [...lengths].reduce((sum, [type, length]) => sum + (HEADING.test(type) ? length : 0), 0);
  // Programs that tag every paragraph as one thing say nothing; neither do those that call most of the text a heading.
  return tagged > MIN_TAGGED * all && headings > 0 && headings < 0.3 * all;
}
