import { appTruth } from '../../test/site/app.ts';

/** Where pages of all kinds are. */
export interface Sites {
  /** The generated site. */
  site: string;
  /** Behind a certificate of its own making. */
  selfSigned: string;
  /** Behind one that is over. */
  expired: string;
}

/** A kind of page. */
export interface Kind {
  name: string;
  /** Of a hundred pages. */
  share: number;
  /** Its address. @param n another one for each page */
  url(sites: Sites, n: number): string;
  /** How its visit ends: `read` with its text, a status, or the code of an error. */
  outcome: string;
}

/** Longer than a page may take. */
const NEVER_MS = 600_000;
/** In the path of pages that crash. */
export const DOOMED = '/slow/1/';

/** What a worker meets. Shares sum up to a hundred. */
export const MIX: Kind[] = [
  { name: 'drawn by scripts', share: 83, url: ({ site }, n) => `${site}/app/${n}`, outcome: 'read' },
  { name: 'slow', share: 8, url: ({ site }, n) => `${site}/slow/3000/app/${n}`, outcome: 'read' },
  {
    ...{ name: 'too slow', share: 2, outcome: 'SCRAPE_TIMEOUT' },
    url: ({ site }, n) => `${site}/slow/${NEVER_MS}/app/${n}`,
  },
  {
    ...{ name: 'crash', share: 2, outcome: 'SCRAPE_SITE_ERROR crashed' },
    url: ({ site }, n) => `${site}${DOOMED}app/${n}`,
  },
  { name: 'reset', share: 1, url: ({ site }) => `${site}/reset`, outcome: 'SCRAPE_SITE_ERROR' },
  { name: 'status 500', share: 1, url: ({ site }) => `${site}/status/500`, outcome: 'status 500' },
  { name: 'self-signed', share: 1, url: ({ selfSigned }) => selfSigned, outcome: 'SCRAPE_SSL_ERROR' },
  { name: 'expired', share: 1, url: ({ expired }) => expired, outcome: 'SCRAPE_SSL_ERROR' },
  {
    ...{ name: 'without an address', share: 1, outcome: 'SCRAPE_DNS_RESOLUTION_ERROR' },
    url: (_sites, n) => `http://nowhere-${n}.test/`,
  },
];

/** Shares no factor with a hundred, so that kinds come mixed. */
const STRIDE = 37;

/** The kind of page `n`; each has its share of any hundred in a row. */
export function kindOf(n: number): Kind {
  let place = (n * STRIDE) % 100;
  for (const kind of MIX) {
    if (place < kind.share) return kind;
    place -= kind.share;
  }
  throw new Error('the shares of the mix are less than a hundred');
}

/** Whether this is the text of page `n`, where it has one. */
export const isRead = (html: string, n: number) => html.includes(appTruth(n).firstSentence);
