import { createHash } from 'node:crypto';
import serialize from 'dom-serializer';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { seeded } from '../../test/site/random.ts';
import { table } from '../figures.ts';
import { markdownOf } from './kit.ts';
import { PERTURBATIONS } from './perturbations.ts';
import { countWords, plainText, shareOf, wordsOf } from './words.ts';

/** A page without an annotation. */
export interface PlainPage {
  id: string;
  url: string;
  html(): Promise<string>;
}

/** What a change made of a page: the share of its words that its markdown keeps. */
interface Outcome {
  id: string;
  change: string;
  kept: number;
}

/** Pages of fewer words say too little. */
const LEAST_WORDS = 50;
/** The share of the words that a stable page keeps. */
const STABLE_SHARE = 0.98;

/** A sample of pages, the same for the same seed. */
export const samplePages = <Page extends { id: string }>(pages: Page[], seed: number, most: number): Page[] =>
  pages
    .map((page) => ({ page, rank: hash(`${seed}:${page.id}`) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ page }) => page);

const hash = (text: string) => createHash('sha1').update(text).digest().readUInt32BE();

/**
 * Changes pages in ways that a reader does not see, and counts those whose markdown loses words by it.
 * @param options.worst number of the pages and changes that lost most, which are also listed
 * @returns the table and the list
 */
export async function measurePerturbed(
  pages: readonly PlainPage[],
  { seed, worst }: { seed: number; worst: number },
): Promise<string> {
  const outcomes: Outcome[] = [];
  for (const page of pages) outcomes.push(...(await perturbPage(page, seed)));
  const rows = Object.keys(PERTURBATIONS).map((name) =>
    rowOf(
      name,
      outcomes.filter(({ change }) => change === name),
    ),
  );
  const unstable = new Set(outcomes.filter(isUnstable).map(({ id }) => id));
  const measured = new Set(outcomes.map(({ id }) => id));
  const list = outcomes
    .toSorted((a, b) => a.kept - b.kept)
    .slice(0, worst)
    .map(({ id, change, kept }) => `${kept.toFixed(3)}  ${id}  ${change}`);
  return [
    table([...rows, rowOf('all', outcomes)]),
    '',
    `${unstable.size} of ${measured.size} pages are unstable under at least one change.`,
    ...list,
  ].join('\n');
}

const isUnstable = ({ kept }: Outcome) => kept < STABLE_SHARE;

function rowOf(change: string, outcomes: readonly Outcome[]) {
  const below = (share: number) => outcomes.filter(({ kept }) => kept < share).length;
  const unstable = below(STABLE_SHARE);
  return {
    change,
    pages: outcomes.length,
    unstable,
    '%': ((100 * unstable) / Math.max(1, outcomes.length)).toFixed(1),
    'kept < .9': below(0.9),
    '< .7': below(0.7),
  };
}

/** Makes each change to a page; none if the page has next to no text. */
async function perturbPage({ id, url, html }: PlainPage, seed: number): Promise<Outcome[]> {
  // The page is written from its tree also without a change, so that writing it is none.
  const source = write(parseHtml(await html()));
  const markdown = markdownOf(url, source);
  const words = wordsOf(plainText(markdown));
  if (words.length < LEAST_WORDS) return [];
  return Object.entries(PERTURBATIONS).flatMap(([name, perturb]) => {
    const tree = parseHtml(source);
    const change = perturb({ tree, markdown, random: seeded(hash(`${seed}:${id}:${name}`)) });
    if (!change) return [];
    const wanted = countWords(change.added ?? [], countWords(words));
    countWords(change.removed ?? [], wanted, -1);
    const got = countWords(wordsOf(plainText(markdownOf(change.url ?? url, write(tree)))));
    return [{ id, change: name, kept: shareOf(wanted, got) }];
  });
}

const write = (tree: ReturnType<typeof parseHtml>) => serialize(tree, { encodeEntities: 'utf8' });
