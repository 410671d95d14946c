import type { Exchange } from '../../fetch/net/exchange.ts';
import { type Blobs, sizeOfPart } from '../../storage/blobs/index.ts';
import type { CrawlStart } from '../../storage/db/jobs/job-progress.ts';
import type { NewPage } from '../../storage/db/pages/pages.ts';
import type { PageResult } from '../../storage/db/pages/record-and-claim.ts';
import type { JobCipher } from '../../system/encryption/job-cipher.ts';
import { KnownBodies } from '../archive/known-bodies.ts';
import { writePageArchive } from '../archive/page-archive.ts';

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
  /** Its requests and responses, if the job keeps them. */
  exchanges?: Exchange[] | undefined;
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
  readonly #jobId: string;
  /** Which bodies the archives of the job have already. */
  readonly #knownBodies: KnownBodies;
  /** Pages whose documents are not being stored yet. */
  #unstored: ScrapedPage[] = [];
  /** When the first of the unstored pages ended. */
  #unstoredSince = 0;
  #isStoring = false;
  /** Pages that can be recorded. */
  #stored: ScrapedPage[] = [];

  constructor({
    blobs,
    cipher,
    jobId,
    knownBodies = new KnownBodies(),
  }: {
    blobs: Blobs;
    cipher: JobCipher;
    jobId: string;
    knownBodies?: KnownBodies | undefined;
  }) {
    this.#blobs = blobs;
    this.#cipher = cipher;
    this.#jobId = jobId;
    this.#knownBodies = knownBodies;
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
   * Stores the documents of pages and their archives in one file, and adds their keys and sizes to the results of
   * the pages.
   */
  async #storeDocuments(pages: readonly ScrapedPage[]): Promise<void> {
    const documents = pages.flatMap(({ end, json, exchanges }) => (json ? [{ end, json, exchanges }] : []));
    if (documents.length === 0) return;
    const known = this.#knownBodies.of(this.#jobId);
    const archives = documents.flatMap(({ end, exchanges }) =>
      exchanges?.length ? [{ end, ...writePageArchive(exchanges, known) }] : [],
    );
    const items = [...documents.map(({ json }) => json), ...archives.map(({ bytes }) => bytes)];
    const keys = await this.#blobs.putAll(items.map((item) => this.#cipher.encryptBytes(item)));
    for (const [index, { end, json }] of documents.entries()) {
      Object.assign(end, { blob: keys[index], bytes: json.length });
    }
    for (const [index, { end, added }] of archives.entries()) {
      // `putAll` returns one key for each item.
      const archive = keys[documents.length + index]!;
      Object.assign(end, { archive, archiveBytes: sizeOfPart(archive) });
      this.#knownBodies.add(this.#jobId, archive, added);
    }
  }
}
