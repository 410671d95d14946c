import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Convert, markdownPeers, ours, tidy } from '../peers/markdown.ts';

/** The kit's sets for the conversion to markdown. */
export const MARKDOWN_SETS = ['spec', 'pages', 'pages-mixed'] as const;
export type MarkdownSet = (typeof MARKDOWN_SETS)[number];

export const FEATURES = ['words', 'headings', 'links', 'items', 'cells', 'code'] as const;
type Features = Record<(typeof FEATURES)[number], string[]>;

interface Example {
  id: string;
  html: string;
  extension?: boolean;
  section?: string;
}

/** The functions of the kit that are used here. */
interface Scorer {
  markdownToHtml(markdown: string): string;
  canonicalHtml(html: string): string;
  isRaw(example: Example): boolean;
  features(html: string): Features;
  bagF1(wanted: string[], got: string[]): number;
}

/** Compares all converters on a set. @returns a row for each, with its scores and CPU time */
export async function compareConverters(kit: string, set: MarkdownSet): Promise<Record<string, string>[]> {
  const scorer = await loadMarkdownScorer(kit);
  const examples = await readExamples(kit, set);
  const converters = { Winnow: ours, 'Winnow in the service': tidy, ...(await markdownPeers()) };
  return Object.entries(converters).map(([converter, convert]) => {
    const { markdown, cpuMs } = run(examples, convert);
    const bytes = examples.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0);
    const scores =
      set === 'spec' ? specScores(scorer, examples, markdown) : pageScores(scorer, examples, markdown);
    const times = {
      'CPU ms/page': (cpuMs / examples.length).toFixed(2),
      'MB per CPU-s': (bytes / 1000 / cpuMs).toFixed(1),
    };
    return { converter, ...scores, ...(set === 'spec' ? {} : times) };
  });
}

/** Converts each example; its markdown is `undefined` if the converter fails. */
function run(examples: Example[], convert: Convert): { markdown: (string | undefined)[]; cpuMs: number } {
  const attempt = ({ html }: Example) => {
    try {
      return convert(html);
    } catch {
      // A page counts as lost if the converter fails.
      return undefined;
    }
  };
  // All are converted twice, because code is slow until V8 has compiled it.
  for (const example of examples) attempt(example);
  const start = process.cpuUsage();
  const markdown = examples.map(attempt);
  const { user, system } = process.cpuUsage(start);
  return { markdown, cpuMs: (user + system) / 1000 };
}

function specScores(
  scorer: Scorer,
  examples: Example[],
  markdown: (string | undefined)[],
): Record<string, string> {
  const { markdownToHtml, canonicalHtml, isRaw } = scorer;
  const outcomes = examples.map((example, place) => {
    const written = markdown[place];
    const isPassed =
      written !== undefined && canonicalHtml(markdownToHtml(written)) === canonicalHtml(example.html);
    return { ...example, isPassed, isRaw: isRaw(example) };
  });
  const share = (list: { isPassed: boolean }[]) =>
    `${((100 * list.filter(({ isPassed }) => isPassed).length) / list.length).toFixed(1)} %`;
  const structural = outcomes.filter((outcome) => !outcome.isRaw);
  return {
    structural: share(structural),
    extensions: share(structural.filter(({ extension }) => extension)),
    all: share(outcomes),
  };
}

function pageScores(
  scorer: Scorer,
  pages: Example[],
  markdown: (string | undefined)[],
): Record<string, string> {
  const { markdownToHtml, features, bagF1 } = scorer;
  const found = new Map<keyof Features, number[]>(FEATURES.map((name) => [name, []]));
  pages.forEach(({ html }, place) => {
    const written = markdown[place];
    const wanted = features(html);
    const got = written === undefined ? undefined : features(markdownToHtml(written));
    for (const name of FEATURES) {
      if (wanted[name].length > 0) found.get(name)?.push(got ? bagF1(wanted[name], got[name]) : 0);
    }
  });
  return Object.fromEntries(
    [...found].map(([name, scores]) => [
      name,
      scores.length ? (scores.reduce((sum, score) => sum + score, 0) / scores.length).toFixed(3) : '',
    ]),
  );
}

export async function readExamples(kit: string, set: MarkdownSet): Promise<Example[]> {
  if (set === 'spec') {
    const examples: Example[] = JSON.parse(await readFile(path.join(kit, 'mdspec', 'examples.json'), 'utf8'));
    return examples.filter(({ html }) => html.trim());
  }
  const folder = path.join(kit, `md-${set}`, 'html');
  return Promise.all(
    (await readdir(folder)).toSorted().map(async (name) => ({
      id: name,
      html: gunzipSync(await readFile(path.join(folder, name))).toString(),
    })),
  );
}

/** The kit's functions that compare markdown. */
export async function loadMarkdownScorer(kit: string): Promise<Scorer> {
  const load = (name: string) => import(pathToFileURL(path.resolve(kit, 'score', 'lib', name)).href);
  return {
    ...(await load('text.mjs')),
    ...(await load('markdown-metrics.mjs')),
    ...(await load('stats.mjs')),
  };
}
