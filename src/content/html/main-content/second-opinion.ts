import type { Element } from 'domhandler';
import { closest } from '../nodes.ts';
import { isBesideText } from './evidence/core.ts';
import { findShape, findWords } from './evidence/shapes.ts';
import type { Decisions, Sign } from './evidence/sign.ts';
import type { ElementMeasure } from './page-index/element-measures.ts';
import type { PageIndex } from './page-index/page-index.ts';
import type { FilteredPage } from './stage.ts';

/** The largest share of the running text that may be missing from what was kept. */
const MAX_MISSING_SHARE = 0.5;
/** A block with a smaller share of the page's running text is not asked for, which limits their number. */
const MIN_BLOCK_SHARE = 0.01;
/** Running text is at least this dense, and at most this share of it is linked. */
const MIN_DENSITY = 0.5;
const MAX_LINKED_SHARE = 0.3;
/** A block with as many linked pictures or more is a list of teasers, or of remarks beside their authors. */
const MIN_TEASERS = 3;
/** The kinds of signs that a text may have by chance. */
const DOUBTFUL = new Set<Sign['kind']>(['place', 'name', 'heading']);

/**
 * Compares what was kept with the blocks of the page that look like running text: dense in paragraphs, hardly
 * linked, neither cards nor controls nor a notice. The names and the type of the page do not count. If most
 * of the text is missing from what was kept, the decisions about these blocks are weighed again from the
 * strongest down: those with as many kinds of signs stay as long as they drop no more than half of the text
 * together, and the others are taken back.
 */
export function askSecondOpinion({ index, pruned: { dropped } }: FilteredPage): void {
  const { measures, body } = index;
  const { prose: all = 0 } = measures.get(body) ?? {};
  let kept = all;
  let missing = 0;
  const doubtful: Doubtful[] = [];
  for (const [element, signs] of dropped.entries()) {
    const measured = measures.get(element);
    if (!measured || measured.prose === 0 || isInDropped(element, dropped)) continue;
    const { prose } = measured;
    kept -= prose;
    if (prose < MIN_BLOCK_SHARE * all || !isDoubtful(signs) || !isRunningText(element, measured, index))
      continue;
    missing += prose;
    doubtful.push({ element, prose, strength: new Set(signs.map(({ kind }) => kind)).size });
  }
  const budget = MAX_MISSING_SHARE * (kept + missing);
  if (missing <= budget) return;
  let confirmed = 0;
  for (let strength = DOUBTFUL.size; strength > 0; strength--) {
    const alike = doubtful.filter((one) => one.strength === strength);
    const prose = alike.reduce((sum, one) => sum + one.prose, 0);
    if (confirmed + prose <= budget) confirmed += prose;
    else for (const { element } of alike) dropped.restore(element);
  }
  dropped.areDisputed = true;
}

/** A decision about running text that is weighed again. */
interface Doubtful {
  element: Element;
  /** Characters that are not blank. */
  prose: number;
  /** The number of kinds of its signs. */
  strength: number;
}

/** Whether none of the signs of a decision tells anything of the text. */
const isDoubtful = (signs: readonly Sign[]) =>
  signs.length > 0 && signs.every(({ kind }) => DOUBTFUL.has(kind));

const isRunningText = (element: Element, measured: ElementMeasure, { nameHints }: PageIndex) =>
  // Several articles of one page are different texts.
  element.name !== 'article' &&
  !isBesideText(element) &&
  !nameHints.get(element)?.some(({ kind }) => kind === 'hiddenByClass') &&
  measured.prose >= MIN_DENSITY * measured.length &&
  measured.linked <= MAX_LINKED_SHARE * measured.length &&
  Math.min(measured.pictures, measured.links) < MIN_TEASERS &&
  !findShape(element, measured) &&
  !findWords(element);

const isInDropped = (element: Element, dropped: Decisions): boolean =>
  closest(element.parent, (at) => dropped.has(at)) !== undefined;
