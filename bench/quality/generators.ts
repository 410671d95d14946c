import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../src/errors.ts';
import { table } from '../figures.ts';
import { GENERATORS, type Generator } from './generator-recipes.ts';
import { markdownOf } from './kit.ts';
import { languagesOf, type Manual, nestedHeadings, readManuals } from './manuals.ts';
import { FEATURES, loadMarkdownScorer } from './markdown.ts';
import { HOST } from './sites.ts';

const COLUMNS = [...FEATURES, 'languages'] as const;

/** A page of a generator, with the F1 of each feature that the manual has. */
interface Result {
  label: string;
  manual: string;
  scores: Partial<Record<(typeof COLUMNS)[number], number>>;
}

/**
 * Makes sites of manuals with site generators, converts their pages, and compares them with the manuals.
 * @param options.folder where the generators are installed and the sites are built
 * @param options.worst number of pages with the lowest F1 of words that are also listed
 * @returns a table, the generators that could not be used, and the list
 */
export async function measureGenerators(
  kit: string,
  { folder, worst }: { folder: string; worst: number },
): Promise<string> {
  const manuals = await readManuals();
  const scorer = await loadMarkdownScorer(kit);
  const results: Result[] = [];
  const skipped: string[] = [];
  for (const generator of GENERATORS) {
    const site = path.resolve(folder, generator.name);
    try {
      await build(generator, manuals, site, path.resolve(folder, 'python'));
    } catch (error) {
      skipped.push(`${generator.name} is left out: ${messageOf(error).slice(0, 500)}`);
      continue;
    }
    for (const [label, pageOf] of Object.entries(generator.pages)) {
      for (const [place, manual] of manuals.entries()) {
        const page = pageOf(manual.name, place);
        const html = await readFile(path.join(site, page), 'utf8');
        const markdown = markdownOf(`${HOST}/${page}`, html);
        const { languages, ...scores } = compare(scorer, markdown, { manual, generator });
        const isTold = generator.tellsLanguages !== false && languages !== undefined;
        results.push({ label, manual: manual.name, scores: { ...scores, ...(isTold && { languages }) } });
      }
    }
  }
  const labels = [...new Set(results.map(({ label }) => label))];
  const rows = labels.map((name) =>
    rowOf(
      name,
      results.filter(({ label }) => label === name),
    ),
  );
  const list = results
    .toSorted((a, b) => (a.scores.words ?? 0) - (b.scores.words ?? 0))
    .slice(0, worst)
    .map(({ label, manual, scores }) => `${(scores.words ?? 0).toFixed(3)}  ${label}  ${manual}`);
  return [table([...rows, rowOf('all', results)]), '', ...skipped, ...list].join('\n');
}

/** Installs a generator and builds its site, unless they are there. */
async function build(generator: Generator, manuals: Manual[], site: string, python: string): Promise<void> {
  const { npm, pip, files, command, pages } = generator;
  await mkdir(site, { recursive: true });
  if (npm && !existsSync(path.join(site, 'node_modules'))) {
    // Hexo works only below a package.json that names it.
    const description = { name: 'site', private: true, hexo: {} };
    await writeFile(path.join(site, 'package.json'), JSON.stringify(description));
    await run('npm', ['install', '--no-audit', '--no-fund', ...npm], site);
  }
  if (pip) {
    if (!existsSync(python)) await run('python3', ['-m', 'venv', python], site);
    await run(path.join(python, 'bin', 'pip'), ['install', '--quiet', ...pip], site);
  }
  for (const [name, text] of Object.entries(files(manuals))) {
    await mkdir(path.dirname(path.join(site, name)), { recursive: true });
    await writeFile(path.join(site, name), text);
  }
  const missing = () =>
    Object.values(pages)
      .flatMap((pageOf) => manuals.map(({ name }, place) => pageOf(name, place)))
      .find((page) => !existsSync(path.join(site, page)));
  const [program = '', ...args] = command;
  const programs = npm ? path.join(site, 'node_modules', '.bin') : path.join(python, 'bin');
  if (missing()) await run(path.join(programs, program), args, site);
  if (missing()) throw new Error(`${program} did not make ${missing()}.`);
}

async function run(program: string, args: string[], folder: string): Promise<void> {
  const PATH = `${path.dirname(process.execPath)}:${process.env.PATH}`;
  await promisify(execFile)(program, args, {
    cwd: folder,
    env: { ...process.env, PATH, CI: 'true' },
    maxBuffer: 2 ** 28,
  });
}

function compare(
  { features, markdownToHtml, bagF1 }: Awaited<ReturnType<typeof loadMarkdownScorer>>,
  markdown: string,
  { manual: { title, body }, generator }: { manual: Manual; generator: Generator },
): Result['scores'] {
  const featuresOf = (text: string) => {
    const found = features(markdownToHtml(text));
    // The generators make other targets of links within a site.
    const links = found.links
      .filter((link) => /^https?:/.test(link) && !link.startsWith(HOST))
      .map((link) => link.replace('/|', '|'));
    return { ...found, links, languages: languagesOf(text) };
  };
  const written = featuresOf(`# ${title}\n\n${body}`);
  const headings = generator.nestsHeadings ? nestedHeadings(written.headings) : written.headings;
  const wanted = { ...written, headings };
  const got = featuresOf(markdown);
  return Object.fromEntries(
    COLUMNS.filter((name) => wanted[name].length > 0).map((name) => [name, bagF1(wanted[name], got[name])]),
  );
}

function rowOf(generator: string, results: readonly Result[]) {
  const means = COLUMNS.map((name) => {
    const values = results.flatMap(({ scores }) => scores[name] ?? []);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return [name, values.length > 0 ? mean.toFixed(3).replace(/^0/, '') : ''];
  });
  const below = (share: number) => results.filter(({ scores }) => (scores.words ?? 1) < share).length;
  return {
    generator,
    pages: results.length,
    ...Object.fromEntries(means),
    'words < .9': below(0.9),
    '< .7': below(0.7),
  };
}
