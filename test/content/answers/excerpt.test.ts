import { describe, expect, it } from 'vitest';
import { readPageText, selectExcerpt, splitToTokens } from '../../../src/content/answers/excerpt.ts';
import { createContent } from '../../../src/content/html/content.ts';
import { splitMarkdownBlocks } from '../../../src/content/html/markdown-blocks.ts';
import { estimateTokens } from '../../../src/content/language-model.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';

const paragraphs = Array.from(
  { length: 200 },
  (_, index) => `<h2>Section ${index}</h2><p>The thing ${index} is a rather small thing of its own.</p>`,
);
const content = (html: string) =>
  createContent(
    { url: 'https://a.test/', text: html, kind: 'html', files: {}, engine: 'http' } as unknown as Snapshot,
    { onlyMainContent: false, includeTags: undefined, excludeTags: undefined, removeBase64Images: true },
  );

describe('the excerpt of a page for a language model', () => {
  it('is the whole page if that fits', () => {
    const page = readPageText(content('<h1>Town</h1><p>By the sea.'), 1_000);
    expect(selectExcerpt(page, 1_000)).toEqual({ text: '# Town\n\nBy the sea.', isCut: false });
  });

  it('has the passages that are relevant to a question, with their headings, in page order', () => {
    const page = readPageText(content(paragraphs.join('')), 1_000, 'What is thing 150?');
    const { text, isCut } = selectExcerpt(page, 600);
    expect(isCut).toBe(true);
    expect(estimateTokens(text)).toBeLessThan(700);
    expect(text).toContain('## Section 150\n\nThe thing 150 is');
    expect(text.indexOf('The thing 0 is')).toBeLessThan(text.indexOf('The thing 150 is'));
    expect(text).toContain('[…]');
  });

  it('has the beginning and passages of the rest without a question', () => {
    const { text } = selectExcerpt(readPageText(content(paragraphs.join('')), 1_000), 600);
    const numbers = [...text.matchAll(/The thing (\d+) is/g)].map(([, number]) => Number(number));
    expect(numbers.slice(0, 3)).toEqual([0, 1, 2]);
    expect(numbers.at(-1)).toBeGreaterThan(120);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  });
});

describe('a text in parts', () => {
  it('is whole, and split at line ends', () => {
    const text = Array.from({ length: 40 }, (_, index) => `Line ${index} of the text.`).join('\n');
    const parts = splitToTokens(text, 100, 4)!;
    expect(parts.join('')).toBe(text);
    for (const part of parts) expect(estimateTokens(part)).toBeLessThan(105);
    expect(parts[1]).toMatch(/^\nLine/);
    expect(splitToTokens(text, 20, 4)).toBeUndefined();
  });
});

describe('blocks of markdown', () => {
  it('are separated by blank lines, except in code', () => {
    const blocks = [
      '# Title',
      '- a\n- b',
      '```js\na\n\n# b\n```',
      '| a |\n| - |\n| 1 |',
      '~~~~\n```\n\n~~~~',
    ];
    expect(splitMarkdownBlocks(blocks.join('\n\n'))).toEqual(blocks);
    expect(splitMarkdownBlocks('\n\n')).toEqual([]);
  });
});
