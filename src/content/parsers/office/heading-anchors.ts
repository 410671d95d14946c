import type { Inline, OfficeBlock } from './model.ts';
import { plainText } from './source/source-paragraphs.ts';

/**
 * The fragments of headings by their anchors in the file. A fragment is made from the text as renderers of
 * markdown make it (`Next steps` becomes `next-steps`), because an anchor such as `_Toc459979384` leads
 * nowhere in markdown.
 */
export function headingFragments(blocks: readonly OfficeBlock[]): Map<string, string> {
  const fragments = new Map<string, string>();
  const uses = new Map<string, number>();
  for (const { kind, anchor, content = [] } of blocks) {
    if (kind !== 'heading') continue;
    const slug = slugOf(plainText(content));
    const earlier = uses.get(slug) ?? 0;
    uses.set(slug, earlier + 1);
    const fragment = earlier === 0 ? slug : `${slug}-${earlier}`;
    for (const name of [anchor, ...anchorsIn(content)])
      if (name && fragment && !fragments.has(name)) fragments.set(name, fragment);
  }
  return fragments;
}

const anchorsIn = (content: readonly Inline[]) =>
  content.filter(({ kind }) => kind === 'anchor').map(({ anchor }) => anchor);

/** The fragment of a heading, without regard to others of the same text. */
export const slugOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
