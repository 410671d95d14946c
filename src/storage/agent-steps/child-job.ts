import type { MapRequest } from '../../schemas/map.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { SearchRequest } from '../../schemas/search.ts';

/** The kinds of jobs that do the work of calls. */
const CHILD_KINDS = ['scrape', 'map', 'search'] as const;
export type ChildKind = (typeof CHILD_KINDS)[number];

/** Whether a tool has its work done by a job, whose kind has the same name. */
export const isChildKind = (tool: string): tool is ChildKind => CHILD_KINDS.some((kind) => kind === tool);

/** A job that does the work of a call. */
export interface ChildJob {
  kind: ChildKind;
  /** The URL, or the words of a search. */
  target: string;
  request: ScrapeRequest | MapRequest | SearchRequest;
}
