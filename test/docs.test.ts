import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', 'docs/**/*.md', '{src,test,bench,scripts}/**/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules'],
});

const LINK = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g;
const CODE = /`([^`\n]+)`/g;
const PATH = /^\w[\w./{},*-]*(?:\.(?:ts|js|md|json|yml)|\w\/)$/;

/**
 * The paths on a page that do not exist. Links are relative to the page. Paths in code are relative to the
 * page, `src/` or the root; a README also names files of folders below its own.
 */
function missingFiles(page: string): string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  const folder = path.dirname(page);
  const bases = ['', 'src', folder];
  if (folder !== '.' && path.basename(page) === 'README.md') bases.push(`${folder}/**`);
  const exists = (file: string) =>
    bases.some((base) => globSync(path.posix.join(base, file), { cwd: ROOT }).length > 0);
  const links = [...text.matchAll(LINK)].map(([, link]) => link!);
  const paths = [...text.matchAll(CODE)]
    .flatMap(([, code]) => code!.split(' '))
    .filter((word) => PATH.test(word));
  return [
    ...links.filter((link) => !existsSync(path.join(ROOT, folder, link))),
    ...paths.filter((file) => !exists(file)),
  ].map((file) => `${page}: ${file}`);
}

it('the documentation names only files that exist', () => {
  expect(PAGES.flatMap(missingFiles)).toEqual([]);
});

it('no paragraph and list item of docs/operations.md has more than 600 characters', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
  const paragraphs = page.split(/\n\n|\n(?=- )/).filter((text) => !/^(?:\||```)/.test(text));
  expect(paragraphs.filter((text) => text.length > 600)).toEqual([]);
});

it('no table cell of docs/operations.md has more than 120 characters', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
  const cells = page
    .split('\n')
    .filter((line) => /^\|(?! -)/.test(line))
    .flatMap((line) => line.split('|'))
    .map((cell) => cell.trim());
  expect(cells.filter((cell) => cell.length > 120)).toEqual([]);
});

it('docs/experiments.md has at most 6,000 words', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'experiments.md'), 'utf8');
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(6_000);
});

it('docs/benchmarks.md has at most 5,000 words', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'benchmarks.md'), 'utf8');
  // The page is mostly tables, so their borders do not count.
  const words = page.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(5_000);
});
