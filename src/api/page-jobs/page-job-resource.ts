import type { PageJobKind } from '../../job-kinds.ts';

/** The API resource of batches or of crawls. */
export interface PageJobResource {
  kind: PageJobKind;
  /** The group of its routes in the API reference. */
  tag: string;
}
