import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KitPage } from './kit.ts';
import { row, type SetName, TYPES } from './peers.ts';

/** The scores of one page, from 0 to 1. */
export interface Score {
  id: string;
  type: string;
  f1: number;
  /** `undefined` if the denominator is 0. */
  precision: number | undefined;
  recall: number | undefined;
  withShare: number;
  withoutShare: number;
}

/** The functions of the kit that are used here. */
interface Scorer {
  markdownToText(markdown: string): string;
  wordScores(predicted: string, truth: string): { precision: number; recall: number; f1: number };
  shingleScores(predicted: string, truth: string): { precision: number | null; recall: number | null };
  snippetShare(text: string, snippets: string[]): number;
}

/** Scores the markdown of each page with the kit's scorer, by id. */
export async function score(
  kit: string,
  pages: KitPage[],
  predictions: Record<string, string>,
  set: SetName,
): Promise<Score[]> {
  const { markdownToText, wordScores, shingleScores, snippetShare } = await loadScorer(kit);
  return pages.map(({ id, type, text: truth, mustInclude, mustExclude }) => {
    const text = markdownToText(predictions[id] ?? '');
    const { precision, recall } = (set === 'wcxb' ? wordScores : shingleScores)(text, truth);
    return {
      id,
      type,
      f1: harmonic(precision ?? 0, recall ?? 0),
      precision: precision ?? undefined,
      recall: recall ?? undefined,
      withShare: snippetShare(text, mustInclude),
      withoutShare: snippetShare(text, mustExclude),
    };
  });
}

async function loadScorer(kit: string): Promise<Scorer> {
  const load = (name: string) => import(pathToFileURL(path.resolve(kit, 'score', 'lib', name)).href);
  return { ...(await load('text.mjs')), ...(await load('content-metrics.mjs')) };
}

/**
 * Our row of the set's table, as means over pages. For aeb, F1 is computed from mean precision and mean
 * recall.
 */
export function summaryOf(set: SetName, scores: Score[]): Record<string, string>[] {
  const meanOf = (name: 'f1' | 'precision' | 'recall' | 'withShare' | 'withoutShare', list = scores) =>
    mean(list.flatMap((one) => one[name] ?? []));
  if (set === 'aeb') {
    const [precision, recall] = [meanOf('precision'), meanOf('recall')];
    return [row(set, ['Winnow', harmonic(precision, recall), precision, recall])];
  }
  const byType = TYPES.map((name) => {
    const list = scores.filter(({ type }) => type === name);
    return list.length ? meanOf('f1', list) : undefined;
  });
  return [
    row(set, ['Winnow', meanOf('f1'), 100 * meanOf('withShare'), 100 * meanOf('withoutShare'), ...byType]),
  ];
}

/** How many pages lost much of their text, which a mean hides. Pages without annotated text do not count. */
export function tailOf(scores: readonly Score[]): string {
  const below = (share: number) => scores.filter(({ recall = 1 }) => recall < share).length;
  return `Of ${scores.length} pages, ${below(0.9)} have a recall < .9 and ${below(0.7)} < .7`;
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const harmonic = (a: number, b: number) => (a + b > 0 ? (2 * a * b) / (a + b) : 0);
