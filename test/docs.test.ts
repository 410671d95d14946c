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
const CODE_BLOCK = /```([\s\S]*?)```/g;
const PATH = /^\w[\w./{},*-]*(?:\.(?:ts|js|md|json|yml)|\w\/)$/;

/**
 * The paths on a page that do not exist. Links are relative to the page. Paths in code are relative to the
 * page, `src/` or the root; a README also names files of folders below its own. The code blocks of the
 * architecture name the files on the way of a request.
 */
function missingFiles(page: string): string[] {
  const whole = readFileSync(path.join(ROOT, page), 'utf8');
  const text = whole.replace(CODE_BLOCK, '');
  const folder = path.dirname(page);
  const bases = ['', 'src', folder];
  if (folder !== '.' && path.basename(page) === 'README.md') bases.push(`${folder}/**`);
  const exists = (file: string) =>
    bases.some((base) => globSync(path.posix.join(base, file), { cwd: ROOT }).length > 0);
  const links = [...text.matchAll(LINK)].map(([, link]) => link!);
  const blocks = page === 'docs/architecture.md' ? [...whole.matchAll(CODE_BLOCK)] : [];
  const paths = [...text.matchAll(CODE), ...blocks]
    .flatMap(([, code]) => code!.split(/[\s(),]+/))
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

it('docs/benchmarks.md has at most 5,500 words', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'benchmarks.md'), 'utf8');
  // The page is mostly tables, so their borders do not count.
  const words = page.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(5_500);
});

/** The cells of each table of a text, row by row. */
const tablesOf = (text: string): string[][][] =>
  [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|').slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim())),
  );

/**
 * Each goal of a section of docs/benchmarks.md, and what its table says of it. Goals are a row or a column.
 */
const goalsOf = (section: string): { goal: string; met: string }[] =>
  tablesOf(section).flatMap(([header = [], , ...rows]) => {
    if (header.at(-1) === 'met?')
      return rows.map((row) => ({ goal: row[header.indexOf('goal')] ?? '', met: row.at(-1) ?? '' }));
    const [goals, met] = ['goal', 'met?'].map((name) => rows.find(([first]) => first === name) ?? []);
    return goals!.slice(1).map((goal, column) => ({ goal, met: met![column + 1] ?? '' }));
  });

it('docs/benchmarks.md counts the goals that each section meets', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'benchmarks.md'), 'utf8');
  const [overview = '', ...sections] = page.split(/\n### /);
  const counted = new Map(
    [...overview.matchAll(/\(#([^)]+)\) *\| (\d+ of \d+) /g)].map(([, anchor, count]) => [anchor, count]),
  );
  const found = sections.map((section): [string, string] => {
    const [title = ''] = section.split('\n', 1);
    const goals = goalsOf(section).filter(({ goal, met }) => goal !== '' || met !== '');
    expect(goals.every(({ goal, met }) => goal !== '' && /^(?:yes|\*\*no\*\*)$/.test(met))).toBe(true);
    const anchor = title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    return [anchor, `${goals.filter(({ met }) => met === 'yes').length} of ${goals.length}`];
  });
  expect(counted).toEqual(new Map(found.filter(([, count]) => count !== '0 of 0')));
});
