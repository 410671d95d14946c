import type { Pages } from '../sites/pages.ts';

/** A request with which something goes wrong, and the true cause, as somebody who runs the site knows it. */
export interface BrokenRequest {
  name: string;
  question: string;
  /** The endpoint; `/v2/scrape` by default. */
  path?: string;
  /** The request itself. */
  body: (site: CauseSite) => Record<string, unknown>;
  /** What happened before, such as a scrape that filled the cache. */
  before?: (site: CauseSite, key: string) => Promise<unknown>;
  /** The path of a page whose scripts add nothing until the request has ended. */
  held?: string;
  /** What an answer with the true cause says. */
  cause: RegExp[];
  /** What only an answer with a false cause says. */
  wrong?: RegExp;
  /** The change that helps; `null` if none does, absent if several do. */
  fix?: Record<string, unknown> | null;
  /** Nobody can know the cause from the request and the page, so no answer may be sure of one. */
  isUnknowable?: true;
}

/** The site of the requests. */
export interface CauseSite extends Pages {
  /** A page behind a self-signed certificate. */
  secureUrl: string;
  /** The paths of pages whose scripts add nothing for the time being. */
  held: Set<string>;
}

const SENTENCE =
  'The winter timetable of the mountain railway begins on the first Sunday of December and ends in March. ';
export const ARTICLE = `<h1>Timetable</h1><p>${SENTENCE.repeat(4)}</p>`;

/** A page with a title. */
export const html = (body: string) => `<!doctype html><title>Railway</title><body>${body}</body>`;

/** The request for a page of the site, with options. */
export const pageOf =
  (path: string, options: Record<string, unknown> = {}) =>
  ({ url }: CauseSite) => ({ url: url + path, ...options });
