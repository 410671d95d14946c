import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright';
import { readConfig } from '../../src/config.ts';
import { toMarkdown } from '../../src/content/html/markdown/index.ts';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { table } from '../figures.ts';
import { loadDocumentScorer } from './documents.ts';
import { nestedHeadings, readManuals } from './manuals.ts';
import { loadMarkdownScorer } from './markdown.ts';
import { type PrintTheme, printedHtml, themeOf } from './print-themes.ts';
import { openWinnow } from './winnow-documents.ts';

/** Themes of one run: every second one is for tuning, the others are for checking. */
const THEMES = 6;

const COLUMNS = [
  'overall',
  'nid',
  'teds',
  'mhs',
  'words R',
  'words P',
  'headings R',
  'headings P',
  'levels',
  'code',
  'items',
  'links',
  'cells',
] as const;
type Scores = Partial<Record<(typeof COLUMNS)[number], number | null>>;

interface Source {
  name: string;
  markdown: string;
}

interface Result {
  seed: number;
  name: string;
  scores: Scores;
}

/**
 * Prints manuals with Chromium in themes that seeds choose, converts the PDFs and compares the markdown with
 * what was printed. Rules are tuned on even seeds and checked on odd ones.
 * @param options.seed other themes for another number
 * @param options.half only the themes with even or odd seeds
 * @param options.folder where the PDFs are kept; what is there is not printed again
 * @param options.worst number of the PDFs with the lowest overall score that are also listed
 * @returns a table with a row for each theme, and the list
 */
export async function measurePrinted(
  kit: string,
  options: { seed: number; half?: 'even' | 'odd' | undefined; folder: string; worst: number },
): Promise<string> {
  const { seed: start, half, folder, worst } = options;
  const seeds = Array.from({ length: THEMES }, (_, place) => THEMES * start + place).filter(
    (seed) => !half || (seed % 2 ? 'odd' : 'even') === half,
  );
  const sources = await readSources(kit);
  await mkdir(folder, { recursive: true });
  await print(kit, seeds, sources, folder);
  const compare = await loadComparison(kit);
  const convert = await openWinnow('Winnow without its sandbox', folder);
  const results: Result[] = [];
  for (const seed of seeds)
    for (const { name, markdown: truth } of sources) {
      const { markdown = '' } = await convert(await readFile(fileOf(folder, seed, name)), 'pdf');
      await writeFile(fileOf(folder, seed, name).replace(/pdf$/, 'md'), markdown);
      results.push({ seed, name, scores: compare(truth, markdown, themeOf(seed)) });
    }
  const rows = seeds.map((seed) =>
    rowOf(
      `${seed}: ${themeOf(seed).summary}`,
      results.filter((one) => one.seed === seed),
    ),
  );
  const halves = [
    ['tuning', results.filter(({ seed }) => seed % 2 === 0)],
    ['checking', results.filter(({ seed }) => seed % 2 === 1)],
  ] as const;
  const sums = halves.flatMap(([name, list]) => (list.length > 0 ? [rowOf(name, list)] : []));
  const list = results
    .toSorted((a, b) => (a.scores.overall ?? 1) - (b.scores.overall ?? 1))
    .slice(0, worst)
    .map(({ seed, name, scores }) => `${(scores.overall ?? 1).toFixed(3)}  ${seed}  ${name}`);
  return [table([...rows, ...sums]), '', ...list].join('\n');
}

const fileOf = (folder: string, seed: number, name: string) => path.join(folder, `${seed}-${name}.pdf`);

/**
 * The READMEs of packages, and the manuals of the kit that are not so long that only their cells are scored.
 */
async function readSources(kit: string): Promise<Source[]> {
  const truths = path.join(kit, 'docs', 'multi', 'truth');
  const names = (await readdir(truths)).toSorted().filter((name) => !name.startsWith('01-'));
  const readmes = (await readManuals()).map(({ name, title, body }) => ({
    name,
    markdown: `# ${title}\n\n${body}\n`,
  }));
  const manuals = names.map(async (name) => ({
    name: path.basename(name, '.md'),
    markdown: await readFile(path.join(truths, name), 'utf8'),
  }));
  return [...readmes, ...(await Promise.all(manuals))];
}

async function print(
  kit: string,
  seeds: readonly number[],
  sources: readonly Source[],
  folder: string,
): Promise<void> {
  const { markdownToHtml } = await loadMarkdownScorer(kit);
  const wanted = seeds.flatMap((seed) => sources.map((source) => ({ seed, ...source })));
  const missing = wanted.filter(({ seed, name }) => !existsSync(fileOf(folder, seed, name)));
  if (missing.length === 0) return;
  const { path: executablePath } = await findChromium(readConfig());
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage({ javaScriptEnabled: false, offline: true });
    for (const { seed, name, markdown } of missing) {
      const theme = themeOf(seed);
      await page.setContent(
        `<!doctype html><html lang="en"><style>${theme.css}</style><body>${markdownToHtml(markdown)}</body></html>`,
      );
      await page.pdf({ path: fileOf(folder, seed, name), ...pdfOptions(theme, name) });
    }
  } finally {
    await browser.close();
  }
}

const pdfOptions = ({ tagged, hasRunningHeads }: PrintTheme, name: string) => ({
  tagged,
  preferCSSPageSize: true,
  printBackground: true,
  displayHeaderFooter: hasRunningHeads,
  headerTemplate: `<div style="font-size: 8pt; margin: 0 auto">${name} – a manual</div>`,
  footerTemplate: '<div style="font-size: 8pt; margin: 0 auto"><span class="pageNumber"></span></div>',
});

/**
 * Compares markdown with the markdown that was printed. Both are compared in the spelling of our converter,
 * because what was printed does not tell, for example, by which character the bullets were written.
 */
async function loadComparison(
  kit: string,
): Promise<(truth: string, markdown: string, theme: PrintTheme) => Scores> {
  const { features, markdownToHtml } = await loadMarkdownScorer(kit);
  const scoreDocument = await loadDocumentScorer(kit);
  const featuresOf = (markdown: string) => {
    const found = features(markdownToHtml(markdown));
    return {
      ...found,
      headings: found.headings.map((heading) => headingKey(heading.slice(3))),
      levels: nestedHeadings(found.headings).map(
        (heading) => heading.slice(0, 3) + headingKey(heading.slice(3)),
      ),
      // Links within a document have no URL in a PDF.
      links: found.links.filter((link) => /^(https?|mailto):/.test(link)).map(withPath),
      // Lines that are too long are wrapped, some of them within words.
      code: found.code.map((text) => text.replace(/\s+/g, '')),
    };
  };
  return (truth, markdown, theme) => {
    const [wanted, got] = [featuresOf(truth), featuresOf(markdown)];
    const printed = parseHtml(printedHtml(markdownToHtml(truth), theme));
    const { overall, nid, teds, mhs } = scoreDocument(
      toMarkdown(printed, { removeBase64Images: false, tidy: true }),
      markdown,
    );
    const f1 = (name: 'levels' | 'code' | 'items' | 'links' | 'cells') =>
      wanted[name].length > 0
        ? (2 * common(wanted[name], got[name])) / (wanted[name].length + got[name].length)
        : null;
    const recall = (name: 'words' | 'headings') => common(wanted[name], got[name]) / wanted[name].length;
    const precision = (name: 'words' | 'headings') =>
      common(wanted[name], got[name]) / Math.max(1, got[name].length);
    return {
      overall,
      nid,
      teds,
      mhs,
      'words R': recall('words'),
      'words P': precision('words'),
      'headings R': recall('headings'),
      'headings P': precision('headings'),
      levels: f1('levels'),
      code: f1('code'),
      items: f1('items'),
      links: f1('links'),
      cells: f1('cells'),
    };
  };
}

/** A link whose URL has a path, as Chromium adds `/` to those without one. */
const withPath = (link: string) => link.replace(/^(https?:\/\/[^/?#|]+)\|/, '$1/|');

/**
 * The letters and digits of a heading without its number, as some themes number headings or print them in
 * capitals.
 */
const headingKey = (text: string) =>
  text
    .toLowerCase()
    .replace(/^\d+(\.\d+)*\.?\s/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** How many elements two lists have in common. */
function common(wanted: readonly string[], got: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of wanted) counts.set(one, (counts.get(one) ?? 0) + 1);
  let found = 0;
  for (const one of got) {
    const left = counts.get(one) ?? 0;
    if (left > 0) found++;
    counts.set(one, left - 1);
  }
  return found;
}

function rowOf(theme: string, results: readonly Result[]): Record<string, string> {
  const means = COLUMNS.map((name) => {
    const values = results.flatMap(({ scores }) => scores[name] ?? []);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return [name, values.length > 0 ? mean.toFixed(3).replace(/^0/, '') : ''];
  });
  return { theme, ...Object.fromEntries(means) };
}
