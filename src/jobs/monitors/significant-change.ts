import type { z } from 'zod';
import type { changeTracking } from '../../content/formats/change-tracking.ts';
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
 * The most steps that the patterns of a target take for one page, in the thread that serves all jobs: their size
 * times that of the changed lines. Lines beyond that count as changed.
 */
const MAX_PATTERN_STEPS = 1_000_000;

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
 */
export function isSignificant(diff: Diff, detection: ChangeDetection): boolean {
  const { ignore, minChangedWords } = detection;
  const keep = lineFilter(detection);
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

/** @returns a function that reduces a line to what counts: the empty text if nothing of it does */
function lineFilter({ ignore, ignorePatterns }: ChangeDetection): (line: string) => string {
  const patterns = ignorePatterns.length ? compiledOnce(ignorePatterns) : undefined;
  let steps = 0;
  return (line) => {
    if (patterns) {
      steps += patterns.steps * (line.length + 1);
      if (steps <= MAX_PATTERN_STEPS && patterns.matches(line)) return '';
    }
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
