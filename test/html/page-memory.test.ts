import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { articlePage } from '../site/article.ts';
import { contentOf } from './page.ts';

/** An article of 77 KB, whose tree takes about 500 KB. */
const ARTICLE = Buffer.from(articlePage(32, 'https://site.test')).toString();
const PAGES = 20;

setFlagsFromString('--expose-gc');
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');

/** Bytes that survived collections of the young generation. */
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;

/** Converts pages, and collects the young generation after each. */
function convertPages(): void {
  for (let page = 0; page < PAGES; page++) {
    const { markdown, metadata } = contentOf(ARTICLE);
    expect(markdown.length + Object.keys(metadata).length).toBeGreaterThan(1_000);
    collect({ type: 'minor' });
  }
}

test('a page that was converted does not survive a collection of the young generation', () => {
  // Code and tables that stay are made with the first pages.
  convertPages();
  collect();
  const before = oldBytes();
  convertPages();
  expect((oldBytes() - before) / PAGES).toBeLessThan(100_000);
});
