import type { Block, PdfTextBlock, SourcePage, Tag, Word } from '../types.ts';

/** Minimum share of the text that must be tagged before tags are used. */
const MIN_TAGGED = 0.8;
const HEADING = /^H([1-6])$/;
const BLOCK_TYPE = /^(H|H[1-6]|P|L|LI|LBody|Lbl|Caption|TH|TD|TOCI|Note|BlockQuote|Figure|Formula|Code)$/;

/** The innermost block tag of each marked-content identifier. */
function blockTypes(tags: readonly Tag[]): Map<number, string> {
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
 * Takes headings and their levels from the tags of the document if these are plausible, else returns the
 * blocks unchanged. The order of tags is not used, because in many documents it is the order in which the
 * program drew the text.
 */
export function applyTags(blocks: readonly Block[], pages: readonly SourcePage[]): Block[] {
  const types = new Map(pages.map(({ number, tags }) => [number, blockTypes(tags)]));
  if (!arePlausible(pages, types)) return [...blocks];
  const typeOfBlock = (block: PdfTextBlock) => typeOf(block, types.get(block.page) as Map<number, string>);
  const title = findTitle(blocks, pages, typeOfBlock);
  return blocks.map((block): Block => {
    if (block.role || !mayHaveTag(block) || block === title) return block;
    const type = typeOfBlock(block);
    const level = HEADING.exec(type ?? '')?.[1];
    if (level) return { ...block, kind: 'heading', level: Number(level) };
    return block.kind === 'heading' && (type === 'P' || type === 'Caption')
      ? { ...block, kind: 'paragraph' }
      : block;
  });
}

/** Whether a block can be a heading by its tag: also code, such as the name of a function. */
const mayHaveTag = (block: Block): block is PdfTextBlock =>
  block.kind === 'paragraph' || block.kind === 'heading' || block.kind === 'caption' || block.kind === 'code';

/** How much larger the title of a document is than its headings. */
const LARGER_TITLE = 1.1;

/**
 * The title of a document on its first page, which Word and others tag as a paragraph: in larger type than
 * all headings.
 */
function findTitle(
  blocks: readonly Block[],
  [first]: readonly SourcePage[],
  typeOfBlock: (block: PdfTextBlock) => string | undefined,
): Block | undefined {
  const headings = blocks.filter((block): block is PdfTextBlock => block.kind === 'heading' && !block.role);
  const sizeOf = ({ lines }: PdfTextBlock) => lines[0]?.style.size ?? 0;
  const tagged = headings.filter((block) => HEADING.test(typeOfBlock(block) ?? ''));
  const largest = Math.max(0, ...tagged.map(sizeOf));
  const title = headings.find(({ page }) => page === first?.number);
  return title && sizeOf(title) > LARGER_TITLE * largest ? title : undefined;
}

/** The tag of more than 60% of the text of a block, if there is one. */
function typeOf({ lines }: PdfTextBlock, types: ReadonlyMap<number, string>): string | undefined {
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

function arePlausible(
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
  // Some programs use the same tag for all paragraphs, or tag most of the text as headings.
  return tagged > MIN_TAGGED * all && headings > 0 && headings < 0.3 * all;
}
