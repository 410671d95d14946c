import type { Element } from 'domhandler';
import type { Core } from './evidence/core.ts';
import type { Decisions } from './evidence/sign.ts';
import type { ElementMap } from './page-index/element-map.ts';
import type { Measure } from './page-index/element-measures.ts';
import type { PageIndex } from './page-index/page-index.ts';
import { PAGE_TYPES, type PageType } from './page-type/page-type.ts';

/** The result of pruning: what was dropped and what remains. */
export interface PrunedPage {
  /** The part of the page that has the running text. */
  core: Core;
  dropped: Decisions;
  /** The measures of the kept elements without their dropped descendants. */
  remaining: ElementMap<Readonly<Measure>>;
  /** Total length of the dropped lists of links, in characters that are not blank. */
  linkListLength: number;
}

/** A page on its way through the pipeline. The stages change everything but the index. */
export interface FilteredPage {
  readonly index: PageIndex;
  /** The elements that were dropped so far, and the measures of those that remained after pruning. */
  pruned: PrunedPage;
  /** The element that contains the content; the body until a stage has found a smaller one. */
  root: Element;
}

/**
 * `finished` skips the remaining stages. With `restartAs` the pipeline starts again for another page type.
 */
export type StageResult = 'finished' | { restartAs: PageType } | undefined;

/** One step of the main-content filter. */
export interface Stage {
  name: string;
  /** The page types that the stage applies to. */
  types: readonly PageType[];
  /** Drops elements of the page, or finds that it must be filtered as another type. */
  run(page: FilteredPage): StageResult;
}

/** The page types of a stage that applies to all but the given ones. */
export const allTypesExcept = (...types: PageType[]): PageType[] =>
  PAGE_TYPES.filter((type) => !types.includes(type));
