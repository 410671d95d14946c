import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { contentOf } from './page.ts';

/**
 * A small page, so that the young generation is not collected during its conversion, which would move parts
 * of the page.
 */
const PARAGRAPH = '<p>A sentence of a page that says something, with <a href="/next">a link</a> in it.</p>';
const PAGE = `<html><head><title>Page</title></head><body>${PARAGRAPH.repeat(100)}</body></html>`;
const PAGES = 50;

setFlagsFromString('--expose-gc');
// As in rendering threads: nothing begins in the old generation.
setFlagsFromString('--no-allocation-site-pretenuring');
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');

/** Bytes that survived collections of the young generation. */
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;

/** Converts pages, and collects the young generation after each. */
function convertPages(): void {
  for (let page = 0; page < PAGES; page++) {
    const { markdown, metadata } = contentOf(PAGE);
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
  expect((oldBytes() - before) / PAGES).toBeLessThan(20_000);
});

test('the class names of a page that was converted do not keep its text', () => {
  const text = `${PARAGRAPH}<!-- ${'A long comment. '.repeat(30_000)} -->`;
  const convert = (name: string) =>
    expect(contentOf(`<body><div class="${name}">Text</div>${text}</body>`).markdown).toContain('sentence');
  convert('name-of-the-first-page');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let page = 0; page < PAGES; page++) convert(`name-of-page-${page}`);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((PAGES / 4) * text.length);
});
