import { appTruth } from '../../test/site/app.ts';

/** Base URLs of the sites with the pages. */
export interface Sites {
  /** The generated site. */
  site: string;
  /** A site with a self-signed certificate. */
  selfSigned: string;
  /** A site with an expired certificate. */
  expired: string;
}

/** A kind of page. */
export interface Kind {
  name: string;
  /** Number of pages of this kind among a hundred. */
  share: number;
  /** The URL of a page. @param n index of the page, so that each has its own URL */
  url(sites: Sites, n: number): string;
  /** The expected outcome: `read` (its text was read), a status, or an error code. */
  outcome: string;
}

/** A delay longer than any deadline. */
const NEVER_MS = 600_000;
/** Part of the path of pages whose tab crashes. */
export const DOOMED = '/slow/1/';

/** The kinds of pages that a worker meets. The shares add up to a hundred. */
export const MIX: Kind[] = [
  { name: 'drawn by scripts', share: 83, url: ({ site }, n) => `${site}/app/${n}`, outcome: 'read' },
  { name: 'slow', share: 8, url: ({ site }, n) => `${site}/slow/3000/app/${n}`, outcome: 'read' },
  {
    name: 'too slow',
    share: 2,
    outcome: 'SCRAPE_TIMEOUT',
    url: ({ site }, n) => `${site}/slow/${NEVER_MS}/app/${n}`,
  },
  {
    name: 'crash',
    share: 2,
    outcome: 'SCRAPE_SITE_ERROR crashed',
    url: ({ site }, n) => `${site}${DOOMED}app/${n}`,
  },
  { name: 'reset', share: 1, url: ({ site }) => `${site}/reset`, outcome: 'SCRAPE_SITE_ERROR' },
  { name: 'status 500', share: 1, url: ({ site }) => `${site}/status/500`, outcome: 'status 500' },
  { name: 'self-signed', share: 1, url: ({ selfSigned }) => selfSigned, outcome: 'SCRAPE_SSL_ERROR' },
  { name: 'expired', share: 1, url: ({ expired }) => expired, outcome: 'SCRAPE_SSL_ERROR' },
  {
    name: 'without an address',
    share: 1,
    outcome: 'SCRAPE_DNS_RESOLUTION_ERROR',
    url: (_sites, n) => `http://nowhere-${n}.test/`,
  },
];

/** A step that has no common factor with a hundred, so that kinds alternate. */
const STRIDE = 37;

/** The kind of page `n`. Each kind has its share of any hundred consecutive pages. */
export function kindOf(n: number): Kind {
  let place = (n * STRIDE) % 100;
  for (const kind of MIX) {
    if (place < kind.share) return kind;
    place -= kind.share;
  }
  throw new Error('the shares of the mix are less than a hundred');
}

/** Whether the HTML contains the text of page `n`. */
export const isRead = (html: string, n: number) => html.includes(appTruth(n).firstSentence);
