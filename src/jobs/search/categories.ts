import type { SearchCategory } from '../../schemas/search.ts';

/** The sites of each category; `pdf` has none, because it is about the type of the file. */
const SITES: Record<SearchCategory, readonly string[]> = {
  github: ['github.com'],
  research: [
    ...[
      'arxiv.org',
      'biorxiv.org',
      'medrxiv.org',
      'pubmed.ncbi.nlm.nih.gov',
      'pmc.ncbi.nlm.nih.gov',
      'nature.com',
    ],
    ...['sciencedirect.com', 'science.org', 'springer.com', 'ieee.org', 'acm.org', 'plos.org', 'jstor.org'],
    ...['semanticscholar.org', 'researchgate.net', 'scholar.google.com'],
  ],
  pdf: [],
  developer: [
    ...[
      'github.com',
      'gitlab.com',
      'stackoverflow.com',
      'stackexchange.com',
      'developer.mozilla.org',
      'npmjs.com',
    ],
    ...['pypi.org', 'docs.rs', 'crates.io', 'pkg.go.dev', 'readthedocs.io', 'learn.microsoft.com', 'dev.to'],
  ],
};

/** The sites that results of the categories are on; empty if any site may have them. */
export const sitesOf = (categories: readonly { type: SearchCategory }[]): string[] =>
  categories.flatMap(({ type }) => SITES[type]);

/** Whether a host is a domain, or below it. */
export const isInDomain = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

/** The first of the categories that a URL belongs to. */
export function categoryOf(
  url: string,
  categories: readonly { type: SearchCategory }[],
): SearchCategory | undefined {
  const { hostname, pathname } = new URL(url);
  return categories.find(({ type }) =>
    type === 'pdf'
      ? pathname.toLowerCase().endsWith('.pdf')
      : SITES[type].some((site) => isInDomain(hostname, site)),
  )?.type;
}
