import { GuideSearch } from './guide-search.ts';
import { type GuideSection, readGuides } from './read-guides.ts';

/** The guides of this version, and the search in them. */
export interface Guides {
  sections: GuideSection[];
  search: GuideSearch;
}

let loading: Promise<Guides> | undefined;

/** Loads the guides. They are read once for each process, because they are a part of its version. */
export function loadGuides(): Promise<Guides> {
  loading ??= readGuides().then((sections) => ({ sections, search: new GuideSearch(sections) }));
  return loading;
}
