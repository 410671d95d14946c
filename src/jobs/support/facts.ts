import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { EngineAttempt } from '../../schemas/page-trace.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { StoredError } from '../../storage/db/tables.ts';

/** A page with fewer words than this has next to no content. */
export const FEW_WORDS = 25;

/** Facts about a document. None of its content becomes part of an answer. */
export interface DocumentFacts {
  statusCode: number;
  /** Number of words of its text, without URLs; 0 if no text was requested. */
  words: number;
  /** Whether it has a text at all: markdown or HTML, however empty. */
  hasText: boolean;
  /** A hash of its text. */
  digest: string;
  warning?: string;
  /** Whether it was made from a cached copy. */
  isCopy: boolean;
  /** What the question mentions and the text has. */
  mentioned: string[];
  /** The URL that responded, after redirects. */
  finalUrl: string;
  challenge?: string;
  contentType?: string;
  contentShare?: number;
  language?: string;
  /** Number of images in the markdown, and of those that a placeholder stands for. */
  images?: number;
  replacedImages?: number;
  /** Number of pages of a file that were read, and of all. */
  pages?: { read: number; all: number };
  /** Whether the HTML has scripts; absent if it was not requested. */
  hasScripts?: boolean;
}

/** How one page went. */
export interface PageFacts {
  url: string;
  request: ScrapeRequest;
  status: 'running' | 'completed' | 'failed';
  error?: StoredError;
  /** The engines that were tried. */
  attempts: EngineAttempt[];
  /** How it went, in one sentence; absent in notes of an earlier version. */
  summary?: string;
  document?: DocumentFacts;
  /** Whether the question is about this page of the job. */
  isAsked?: true;
}

/** A page that was delivered. */
export type CompletedPage = PageFacts & { document: DocumentFacts };

/** How a crawl went, beside its pages. */
export interface CrawlFacts {
  request: CrawlRequest;
  /** The URL of its start page after redirects. */
  start: string;
  /**
   * The URL that the question is about, whether it is a page of the crawl, and whether robots.txt disallows
   * it; absent if the question names none.
   */
  asked?: { url: string; isMet: boolean; isBlocked: boolean };
}

/** How the pages of a batch or crawl ended. */
export interface PageTotals {
  completed: number;
  failed: number;
  open: number;
  /** Number of URLs that robots.txt disallows. */
  blocked: number;
  limit: number | null;
  /** The most links between the start page and a page. */
  depth: number;
  failures: { code: string; count: number }[];
}

/** Facts about the job that a question is about. */
export interface JobFacts {
  id: string;
  kind: string;
  status: string;
  /** Whether the question named it; otherwise it is the one that fits best. */
  isNamed: boolean;
  error?: StoredError;
  /** The page of a scrape, or a typical one of a batch or crawl. */
  page?: PageFacts;
  pages?: PageTotals;
  crawl?: CrawlFacts;
}
