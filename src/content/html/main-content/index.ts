import type { Document } from 'domhandler';
import { isScripted, type Snapshot } from '../../snapshot.ts';
import { contentRootStage } from './content-root.ts';
import { Core } from './evidence/core.ts';
import { Outline } from './evidence/outline.ts';
import { Decisions } from './evidence/sign.ts';
import { postsStage } from './forum/posts-stage.ts';
import { introductionStage } from './introduction.ts';
import { ElementMap } from './page-index/element-map.ts';
import { indexPage, readPageFacts } from './page-index/page-index.ts';
import { pageTypeStage } from './page-type/infer-page-type.ts';
import { detectPageType } from './page-type/page-type.ts';
import { retryAsForumStage } from './page-type/retry-as-forum.ts';
import { pruningStage } from './pruning/prune.ts';
import { askSecondOpinion } from './second-opinion.ts';
import type { FilteredPage, Stage, StageResult } from './stage.ts';
import { callsToActionStage } from './tidying/calls-to-action.ts';
import { duplicateBlocksStage } from './tidying/duplicate-blocks.ts';
import { duplicateLabelsStage } from './tidying/duplicate-labels.ts';
import { metaLinesStage } from './tidying/meta-lines.ts';

/** The pipeline, in order. Each stage works on what the stages before it left. */
export const STAGES: readonly Stage[] = [
  pruningStage,
  pageTypeStage,
  postsStage,
  contentRootStage,
  introductionStage,
  retryAsForumStage,
  callsToActionStage,
  metaLinesStage,
  duplicateBlocksStage,
  duplicateLabelsStage,
];

/**
 * Finds the elements of a page that are not main content: first those that tags, roles, names and headings
 * identify, then everything outside of the element with the content. The thresholds depend on the type of the
 * page, which is what it declares and what it is made of, corrected by what remains of it. Takes time in proportion to the
 * page's size.
 */
export function findBoilerplate(
  document: Document,
  source: Pick<Snapshot, 'engine' | 'isUnrendered'>,
): Decisions {
  const facts = readPageFacts(document, isScripted(source));
  if (!facts) return new Decisions();
  const declared = detectPageType(document, facts.body, facts.measures);
  for (let type = declared; ; ) {
    const page = createFilteredPage(indexPage(facts, type, declared === 'article'));
    const result = runStages(page);
    if (typeof result !== 'object') {
      // A thread is reduced to its posts, whatever share of the page they are.
      if (result !== 'finished') askSecondOpinion(page);
      return page.pruned.dropped;
    }
    type = result.restartAs;
  }
}

function createFilteredPage(index: FilteredPage['index']): FilteredPage {
  return {
    index,
    pruned: {
      dropped: new Decisions(),
      remaining: new ElementMap(index.document),
      linkListLength: 0,
      core: new Core(index.body, { end: 0, index, outline: new Outline(index, new Map()) }),
    },
    root: index.body,
  };
}

/** Runs the stages for the type of the page until one of them ends the run. */
function runStages(page: FilteredPage): StageResult {
  const { type } = page.index;
  for (const stage of STAGES) {
    const result = stage.types.includes(type) ? stage.run(page) : undefined;
    if (result) return result;
  }
  return undefined;
}
