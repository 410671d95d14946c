import type { Blobs } from '../../storage/blobs/index.ts';
import type { CrawlStart } from '../../storage/db/jobs/job-progress.ts';
import type { NewPage } from '../../storage/db/pages/pages.ts';
import type { PageResult } from '../../storage/db/pages/record-and-claim.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';

/**
 * Pages that have ended are stored together, at the latest this many milliseconds after the first of them.
 */
const STORE_AFTER_MS = 100;
/** Number of ended pages that are stored without waiting any longer. */
const STORE_AFTER_PAGES = 16;

/** The result of scraping a page. */
export interface ScrapedPage {
  end: PageResult;
  /** When it ended, as `performance.now()` says; absent if it was not begun with. */
  endedAt?: number;
  /** The document as JSON. */
  json?: Buffer;
  /** Stores a copy of the page in the cache; absent if it was not fetched. */
  storeCopy?: (() => Promise<void>) | undefined;
  found?: NewPage[];
  blocked?: string[];
  homepages?: string[];
  /** The facts about the crawl that its start page reveals; only set for a start page. */
  start?: CrawlStart;
  /** Milliseconds that the host should get no requests, because it asked us to slow down. */
  restMs?: number;
}

/**
 * The pages of a page worker that have ended. Their documents and copies are stored in groups, after which
 * they can be recorded.
 */
export class FinishedPages {
  readonly #blobs: Blobs;
  /** Encrypts what is stored of a job with zero data retention. */
  readonly #cipher: JobCipher;
  /** Pages whose documents are not being stored yet. */
  #unstored: ScrapedPage[] = [];
  /** When the first of the unstored pages ended. */
  #unstoredSince = 0;
  #isStoring = false;
  /** Pages that can be recorded. */
  #stored: ScrapedPage[] = [];

  constructor({ blobs, cipher }: { blobs: Blobs; cipher: JobCipher }) {
    this.#blobs = blobs;
    this.#cipher = cipher;
  }

  /** Whether all pages that have ended were taken by {@link takeStored}. */
  get isEmpty(): boolean {
    return !this.#unstored.length && !this.#isStoring && !this.#stored.length;
  }

  /** Whether there are pages that can be recorded. */
  get hasStored(): boolean {
    return this.#stored.length > 0;
  }

  /** Adds a page that has ended. */
  add(page: ScrapedPage): void {
    if (!this.#unstored.length) this.#unstoredSince = performance.now();
    this.#unstored.push(page);
  }

  /** Adds pages without documents, which can be recorded at once. */
  addUnstarted(pages: readonly ScrapedPage[]): void {
    this.#stored.push(...pages);
  }

  /**
   * When the documents are to be stored, in milliseconds of `performance.now()`.
   * @param isLast whether no other page is under way, for which they would wait
   */
  storeAt(isLast: boolean): number {
    if (this.#isStoring || !this.#unstored.length) return Number.POSITIVE_INFINITY;
    if (isLast || this.#unstored.length >= STORE_AFTER_PAGES) return 0;
    return this.#unstoredSince + STORE_AFTER_MS;
  }

  /** Stores the documents and copies of the pages that have ended, which can then be recorded. */
  async store(): Promise<void> {
    const pages = this.#unstored;
    this.#unstored = [];
    this.#isStoring = true;
    try {
      await Promise.all([this.#storeDocuments(pages), ...pages.map(({ storeCopy }) => storeCopy?.())]);
      this.#stored.push(...pages);
    } finally {
      this.#isStoring = false;
    }
  }

  /** Takes the pages that can be recorded. */
  takeStored(): ScrapedPage[] {
    const pages = this.#stored;
    this.#stored = [];
    return pages;
  }

  /**
   * Stores the documents of pages, and adds the blob key and the size of each document to the result of its
   * page.
   */
  async #storeDocuments(pages: readonly ScrapedPage[]): Promise<void> {
    const documents = pages.flatMap(({ end, json }) => (json ? [{ end, json }] : []));
    if (documents.length === 0) return;
    const keys = await this.#blobs.putAll(documents.map(({ json }) => this.#cipher.encryptBytes(json)));
    for (const [index, { end, json }] of documents.entries()) {
      Object.assign(end, { blob: keys[index], bytes: json.length });
    }
  }
}
