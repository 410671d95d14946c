import { summarizeTrace } from '../../jobs/scraping/trace-summary.ts';
import { factsOf } from '../../jobs/support/document-facts.ts';
import type { DocumentFacts, JobFacts, PageFacts } from '../../jobs/support/facts.ts';
import { type Mentions, mentionsOf } from '../../jobs/support/mentions.ts';
import type { CrawlRequest } from '../../schemas/crawl.ts';
import type { Document } from '../../schemas/document.ts';
import { readTrace } from '../../schemas/page-trace.ts';
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
  findTeamPageByUrl,
  findTypicalPage,
  isBlockedByRobots,
  type TeamJob,
  type TeamPage,
} from '../../storage/db/support.ts';
import type { StoredError } from '../../storage/db/tables.ts';

const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;
const URL_PATTERN = /https?:\/\/[^\s"'<>)\]]+/i;
const PATH_PATTERN = /(?<=^|\s)\/[^\s"'<>)\]]+/;
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
      return (UUID.exec(id)?.[0] === id && (await this.#readNamed({ teamId, question }, id))) || 'unknown';
    const url = question.match(URL_PATTERN)?.[0].replace(/[.,;:!?]+$/, '');
    const job = url
      ? await findTeamJobByTarget(this.#db, teamId, url)
      : ASKS_ABOUT_FAILURE.test(question)
        ? await findLatestFailure(this.#db, teamId)
        : undefined;
    return job && this.#describe(job, { teamId, question, isNamed: false });
  }

  async #readNamed(
    { teamId, question }: { teamId: string; question: string },
    id: string,
  ): Promise<JobFacts | undefined> {
    const job = await findTeamJob(this.#db, teamId, id);
    if (job) return this.#describe(job, { teamId, question, isNamed: true });
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
      page: await this.#describePage(page, requestOf(kind, request), question),
    };
  }

  async #describe(
    job: TeamJob,
    { teamId, question, isNamed }: { teamId: string; question: string; isNamed: boolean },
  ): Promise<JobFacts> {
    const { id, kind, status, request } = job;
    const facts = { id, kind, status, isNamed, ...(job.error && { error: withoutDetails(job.error) }) };
    if (kind === 'scrape') {
      const page = { ...job, url: job.target ?? '', status: status === 'scraping' ? 'pending' : status };
      // The API validated the request before it stored it.
      return { ...facts, page: await this.#describePage(page, request as ScrapeRequest, question) };
    }
    const pages = await countPages(this.#db, { teamId, jobId: id });
    if (!pages) return facts;
    const { base, ...totals } = pages;
    const start = base ?? (request as CrawlRequest).url;
    const url = urlIn(question, start);
    const asked = url && (await findTeamPageByUrl(this.#db, { teamId, jobId: id, url }));
    const isBlocked = url && !asked && (await isBlockedByRobots(this.#db, { jobId: id, url }));
    const [frequent] = totals.failures;
    const isAboutFailures = totals.failed >= totals.completed || ASKS_ABOUT_FAILURE.test(question);
    const code = isAboutFailures ? frequent?.code : undefined;
    const typical = asked ?? (await findTypicalPage(this.#db, { teamId, jobId: id, code }));
    const page = typical && (await this.#describePage(typical, requestOf(kind, request), question));
    return {
      ...facts,
      pages: totals,
      ...(page && { page: { ...page, ...(asked && { isAsked: true as const }) } }),
      ...(kind === 'crawl' && {
        crawl: {
          request: request as CrawlRequest,
          start,
          ...(url && { asked: { url, isMet: asked !== undefined, isBlocked: isBlocked === true } }),
        },
      }),
    };
  }

  async #describePage(
    page: Pick<TeamPage, 'url' | 'error' | 'trace' | 'blob'> & { status: string },
    request: ScrapeRequest,
    question: string,
  ): Promise<PageFacts> {
    const { url, error, blob } = page;
    const status = pageStatus(page.status);
    const trace = readTrace(page.trace);
    return {
      url,
      status,
      request: { ...request, url },
      attempts: trace.attempts,
      summary: summarizeTrace({ status, error, trace }),
      ...(status === 'failed' && error && { error: withoutDetails(error) }),
      ...(status === 'completed' &&
        blob && { document: await this.readDocumentFacts(blob, mentionsOf(question)) }),
    };
  }

  /** Reads what a stored document says about itself, and its links. */
  async readDocumentFacts(
    blob: string,
    mentions: Mentions,
  ): Promise<DocumentFacts & { url: string; links: string[] }> {
    // The scrape wrote the document in this shape.
    const document = JSON.parse((await this.#blobs.get(blob)).toString()) as Document;
    return {
      ...factsOf(document, mentions),
      url: document.metadata.url,
      links: document.links ?? [],
    };
  }
}

/**
 * The URL of a page that a question names, also as a path of the site.
 * @param start a URL of the site
 */
function urlIn(question: string, start: string): string | undefined {
  const [named] = question.match(URL_PATTERN) ?? question.match(PATH_PATTERN) ?? [];
  const url = named && URL.parse(named.trim().replace(/[.,;:!?]+$/, ''), start)?.href;
  return url === start ? undefined : url;
}

/** The scrape options of the pages of a job. */
const requestOf = (kind: string, request: unknown) =>
  // The API validated the request before it stored it.
  (kind === 'crawl' ? (request as CrawlRequest).scrapeOptions : request) as ScrapeRequest;

const withoutDetails = ({ code, message }: StoredError) => ({ code, message });

const pageStatus = (status: string): PageFacts['status'] =>
  status === 'completed' ? 'completed' : status === 'failed' ? 'failed' : 'running';
