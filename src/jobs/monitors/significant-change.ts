import type { z } from 'zod';
import type { changeTracking } from '../../content/formats/change-tracking.ts';
import type { LinesTask } from '../../content/rendering/match-lines.ts';
import { matchingLines } from '../../patterns/line-patterns.ts';
import type { LinearPattern } from '../../patterns/linear-pattern.ts';
import { compilePatterns } from '../../patterns/pattern-list.ts';
import type { ChangeDetection } from '../../schemas/monitor-targets.ts';
import { withoutImages, withoutLinkTargets } from './link-targets.ts';

type Diff = NonNullable<z.output<typeof changeTracking.value>['diff']>;

/** Lines that were replaced by others at one place of a page. */
interface Replacement {
  removed: string[];
  added: string[];
}

/**
 * The most steps that the patterns of a target take for one page in the thread that serves all jobs, which are some
 * 30 ms: their size times that of the changed lines.
 */
const AT_ONCE = { steps: 1_000_000, processorMs: 0 };
/** The limits for the lines of one page in a rendering thread. Lines beyond them count as changed. */
const PER_PAGE = { steps: 100_000_000, processorMs: 5_000 };

const NUMBER = /\d[\d.,]*/g;
const MONTH = '(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zé]{0,7}\\.?';
/** Dates in digits or with the name of a month in English or German, and times of day. */
const DATE = new RegExp(
  [
    '\\d{4}-\\d{2}-\\d{2}(?:[t ]\\d{2}:\\d{2}(?::\\d{2})?(?:\\.\\d{1,9})?(?:z|[+-]\\d{2}:?\\d{2})?)?',
    '\\d{1,4}[./]\\d{1,2}[./]\\d{2,4}',
    `\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}(?:,? \\d{4})?`,
    `${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`,
    '\\d{1,2}:\\d{2}(?::\\d{2})?(?: ?[ap]m)?',
  ].join('|'),
  'gi',
);
const BARE_URL = /https?:\/\/[^\s<>)\]]+/g;

const REMOVALS: Partial<Record<ChangeDetection['ignore'][number], (line: string) => string>> = {
  images: withoutImages,
  links: (line) => withoutLinkTargets(line).replace(BARE_URL, ''),
  dates: (line) => line.replace(DATE, '#'),
  numbers: (line) => line.replace(NUMBER, '#'),
};
/** The order in which they are applied: a date has numbers, and an image is a link. */
const REMOVAL_ORDER = ['images', 'links', 'dates', 'numbers'] as const;

/** Whether a target leaves out anything that the comparison itself does not. */
export const narrowsChanges = ({ ignore, ignorePatterns, minChangedWords }: ChangeDetection): boolean =>
  ignore.length > 0 || ignorePatterns.length > 0 || minChangedWords > 1;

/**
 * Decides whether the difference between two versions of a page counts as a change for a target.
 * @param diff the difference, in which white space, relative times, counters and tokens in links are left out
 *   already
 * @param ignored the lines that {@link findIgnored} has found
 */
export function isSignificant(
  diff: Diff,
  detection: ChangeDetection,
  ignored: ReadonlySet<string> = new Set(),
): boolean {
  const { ignore, minChangedWords } = detection;
  const keep = lineFilter(detection, ignored);
  const places = replacementsOf(diff).map(({ removed, added }) => ({
    removed: removed.map(keep).filter((line) => line !== ''),
    added: added.map(keep).filter((line) => line !== ''),
  }));
  const compared = ignore.includes('order') ? [inOneOrder(places)] : places;
  const changed = compared.filter(({ removed, added }) => !areEqual(removed, added));
  return changed.length > 0 && countWords(changed) >= minChangedWords;
}

/** The lines that differ, place by place. */
function replacementsOf({ json }: Diff): Replacement[] {
  const places: Replacement[] = [];
  for (const { chunks } of json.files)
    for (const { changes } of chunks) {
      let place: Replacement | undefined;
      for (const { type, content } of changes) {
        if (type === 'normal') {
          place = undefined;
          continue;
        }
        if (!place) {
          place = { removed: [], added: [] };
          places.push(place);
        }
        place[type === 'del' ? 'removed' : 'added'].push(content.slice(1));
      }
    }
  return places;
}

/** The patterns of targets, by their list: all pages of a job are compared with the same one. */
const COMPILED = new WeakMap<readonly string[], LinearPattern>();

function compiledOnce(texts: readonly string[]): LinearPattern {
  const patterns = COMPILED.get(texts) ?? compilePatterns(texts);
  COMPILED.set(texts, patterns);
  return patterns;
}

/**
 * Finds the changed lines that the patterns of a target match.
 * @param matchElsewhere compares lines in a rendering thread, for patterns that may take long
 */
export async function findIgnored(
  diff: Diff,
  { ignorePatterns: patterns }: ChangeDetection,
  matchElsewhere: (task: LinesTask) => Promise<string[]>,
): Promise<Set<string>> {
  if (patterns.length === 0) return new Set();
  const places = replacementsOf(diff);
  const lines = [...new Set(places.flatMap(({ removed, added }) => [...removed, ...added]))];
  const compiled = compiledOnce(patterns);
  const steps = compiled.steps * lines.reduce((sum, { length }) => sum + length + 1, 0);
  const isShort = steps <= AT_ONCE.steps;
  return new Set(
    isShort
      ? matchingLines(compiled, lines, AT_ONCE)
      : await matchElsewhere({ patterns, lines, limits: PER_PAGE }),
  );
}

/** @returns a function that reduces a line to what counts: the empty text if nothing of it does */
function lineFilter({ ignore }: ChangeDetection, ignored: ReadonlySet<string>): (line: string) => string {
  return (line) => {
    if (ignored.has(line)) return '';
    const reduced = REMOVAL_ORDER.reduce(
      (text, name) => (ignore.includes(name) ? (REMOVALS[name]?.(text) ?? text) : text),
      line,
    );
    return reduced.replace(/\s+/g, ' ').trim();
  };
}

/** All places as one, whose lines are sorted. */
const inOneOrder = (places: Replacement[]): Replacement => ({
  removed: places.flatMap(({ removed }) => removed).sort(),
  added: places.flatMap(({ added }) => added).sort(),
});

const areEqual = (one: string[], other: string[]) =>
  one.length === other.length && one.every((line, index) => line === other[index]);

/** Counts the words that were removed or added, whichever are more. */
function countWords(places: Replacement[]): number {
  return places.reduce((sum, { removed, added }) => {
    const left = new Map<string, number>();
    const wordsOf = (lines: string[]) => lines.flatMap((line) => line.split(' '));
    for (const word of wordsOf(removed)) left.set(word, (left.get(word) ?? 0) + 1);
    let fresh = 0;
    for (const word of wordsOf(added)) {
      const count = left.get(word) ?? 0;
      if (count > 0) left.set(word, count - 1);
      else fresh++;
    }
    const gone = [...left.values()].reduce((total, count) => total + count, 0);
    return sum + Math.max(fresh, gone);
  }, 0);
}
