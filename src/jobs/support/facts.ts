import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { EngineAttempt, StoredError } from '../../storage/db/tables.ts';

/** Facts about a document. None of its content becomes part of an answer. */
export interface DocumentFacts {
  statusCode: number;
  /** Number of words of its markdown. */
  words: number;
  /** A hash of its markdown. */
  digest: string;
  warning?: string;
  /** Whether it was made from a cached copy. */
  isCopy: boolean;
  challenge?: string;
  contentType?: string;
}

/** How one page went. */
export interface PageFacts {
  url: string;
  request: ScrapeRequest;
  status: 'running' | 'completed' | 'failed';
  error?: StoredError;
  /** The engines that were tried. */
  attempts: EngineAttempt[];
  document?: DocumentFacts;
}

/** How a crawl went, beside its pages. */
export interface CrawlFacts {
  request: CrawlRequest;
  /** The URL of its start page after redirects. */
  start: string;
}

/** How the pages of a batch or crawl ended. */
export interface PageTotals {
  completed: number;
  failed: number;
  open: number;
  /** Number of URLs that robots.txt disallows. */
  blocked: number;
  limit: number | null;
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
