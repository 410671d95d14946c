import { contentIds, createFindWords, outermost } from '../document/tag-tree.ts';
import type { SourcePage, Word } from '../types.ts';

/** The place of a bullet before its text, as multiples of the font size. */
const GAP = 0.5;
const WIDTH = 0.35;

/**
 * Adds the bullets of lists that a page draws as shapes instead of text, as Chrome does: items have a label by their tags
 * (ISO 32000-1, 14.8.4.3.3), but the label has no words.
 */
export function withDrawnBullets({ tags }: SourcePage, words: readonly Word[]): Word[] {
  const lists = outermost(tags, 'L');
  if (lists.length === 0) return [...words];
  const findWords = createFindWords(words);
  const bullets = new Map<Word, Word>();
  for (let list = lists.pop(); list; list = lists.pop())
    for (const item of list.children) {
      lists.push(...outermost(item.children, 'L'));
      const labels = item.children.filter(({ type }) => type === 'Lbl').flatMap((label) => contentIds(label));
      if (labels.length === 0 || findWords(labels).length > 0) continue;
      const first = findWords(contentIds(item, ['L', 'Lbl']))[0];
      if (first) bullets.set(first, bulletBefore(first));
    }
  return words.flatMap((word) => {
    const bullet = bullets.get(word);
    return bullet ? [bullet, word] : [word];
  });
}

function bulletBefore(word: Word): Word {
  const right = word.left - GAP * word.style.size;
  return { ...word, text: '•', left: right - WIDTH * word.style.size, right, run: -1 };
}
