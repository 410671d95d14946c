import { createHash } from 'node:crypto';
import { tokenizeWords } from '../../content/answers/words.ts';
import type { DocumentFacts, JobFacts, PageFacts } from '../../jobs/support/facts.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { Document } from '../../schemas/document.ts';
import type { ScrapeRequest } from '../../schemas/scrape.ts';
import type { AskRequest } from '../../schemas/support.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import type { Database } from '../../storage/db/client.ts';
import {
  countPages,
  findLatestFailure,
  findTeamJob,
  findTeamJobByTarget,
  findTeamPage,
  findTypicalPage,
  type TeamJob,
  type TeamPage,
} from '../../storage/db/support.ts';
import type { StoredError } from '../../storage/db/tables.ts';

const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;
const URL_PATTERN = /https?:\/\/[^\s"'<>)\]]+/i;
const ASKS_ABOUT_FAILURE =
  /\b(fail(?:s|ed|ing|ure)?|errors?|wrong|broken|timeouts?|timed out|blocked|not work(?:s|ing)?|problems?|issues?)\b/i;

/** The question whose job is looked for, and its team. */
export interface JobSearch {
  teamId: string;
  question: AskRequest;
}

/** Reads the jobs of a team for a support question. */
export class JobReader {
  readonly #db: Database;
  readonly #blobs: Blobs;

  constructor(db: Database, blobs: Blobs) {
    this.#db = db;
    this.#blobs = blobs;
  }

  /**
   * Finds the job that a question is about: the one that it names, or else the newest one for a URL in it, or
   * the newest failed one.
   * @returns `unknown` if it names a job that the team does not have
   */
  async read({
    teamId,
    question: { question, jobId },
  }: JobSearch): Promise<JobFacts | 'unknown' | undefined> {
    const id = jobId ?? question.match(UUID)?.[0];
    if (id !== undefined)
      return (UUID.exec(id)?.[0] === id && (await this.#readNamed(teamId, id))) || 'unknown';
    const url = question.match(URL_PATTERN)?.[0].replace(/[.,;:!?]+$/, '');
    const job = url
      ? await findTeamJobByTarget(this.#db, teamId, url)
      : ASKS_ABOUT_FAILURE.test(question)
        ? await findLatestFailure(this.#db, teamId)
        : undefined;
    return job && this.#describe(job, { teamId, isNamed: false });
  }

  async #readNamed(teamId: string, id: string): Promise<JobFacts | undefined> {
    const job = await findTeamJob(this.#db, teamId, id);
    if (job) return this.#describe(job, { teamId, isNamed: true });
    const page = await findTeamPage(this.#db, teamId, id);
    const parent = page && (await findTeamJob(this.#db, teamId, page.jobId));
    if (!page || !parent) return undefined;
    const { kind, request } = parent;
    const status = pageStatus(page.status) === 'running' ? 'scraping' : page.status;
    return {
      id,
      kind: 'scrape',
      status,
      isNamed: true,
      page: await this.#describePage(page, requestOf(kind, request)),
    };
  }

  async #describe(
    job: TeamJob,
    { teamId, isNamed }: { teamId: string; isNamed: boolean },
  ): Promise<JobFacts> {
    const { id, kind, status, request } = job;
    const facts = { id, kind, status, isNamed, ...(job.error && { error: withoutDetails(job.error) }) };
    if (kind === 'scrape') {
      const page = { ...job, url: job.target ?? '', status: status === 'scraping' ? 'pending' : status };
      // The API validated the request before it stored it.
      return { ...facts, page: await this.#describePage(page, request as ScrapeRequest) };
    }
    const pages = await countPages(this.#db, { teamId, jobId: id });
    if (!pages) return facts;
    const { base, ...totals } = pages;
    const [frequent] = totals.failures;
    const code = totals.failed >= totals.completed ? frequent?.code : undefined;
    const typical = await findTypicalPage(this.#db, { teamId, jobId: id, code });
    return {
      ...facts,
      pages: totals,
      ...(typical && { page: await this.#describePage(typical, requestOf(kind, request)) }),
      ...(kind === 'crawl' && {
        crawl: { request: request as CrawlRequest, start: base ?? (request as CrawlRequest).url },
      }),
    };
  }

  async #describePage(
    page: Pick<TeamPage, 'url' | 'error' | 'trace' | 'blob'> & { status: string },
    request: ScrapeRequest,
  ): Promise<PageFacts> {
    const { url, error, trace, blob } = page;
    const status = pageStatus(page.status);
    return {
      url,
      status,
      request: { ...request, url },
      attempts: trace ?? [],
      ...(status === 'failed' && error && { error: withoutDetails(error) }),
      ...(status === 'completed' && blob && { document: await this.readDocumentFacts(blob) }),
    };
  }

  /** Reads what a stored document says about itself. */
  async readDocumentFacts(blob: string): Promise<DocumentFacts & { url: string; links: string[] }> {
    // The scrape wrote the document in this shape.
    const document = JSON.parse((await this.#blobs.get(blob)).toString()) as Document;
    const { metadata, markdown, warning, links } = document;
    const text = markdown ?? document.html ?? '';
    return {
      statusCode: metadata.statusCode,
      words: tokenizeWords(text).length,
      digest: createHash('sha256').update(text).digest('hex'),
      isCopy: metadata.cacheState === 'hit',
      ...(warning !== undefined && { warning }),
      ...(metadata.challenge !== undefined && { challenge: metadata.challenge }),
      ...(metadata.contentType !== undefined && { contentType: metadata.contentType }),
      url: metadata.url,
      links: links ?? [],
    };
  }
}

/** The scrape options of the pages of a job. */
const requestOf = (kind: string, request: unknown) =>
  // The API validated the request before it stored it.
  (kind === 'crawl' ? (request as CrawlRequest).scrapeOptions : request) as ScrapeRequest;

const withoutDetails = ({ code, message }: StoredError) => ({ code, message });

const pageStatus = (status: string): PageFacts['status'] =>
  status === 'completed' ? 'completed' : status === 'failed' ? 'failed' : 'running';
