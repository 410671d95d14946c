import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request } from 'express';
import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import type { ExportedPage } from '../../jobs/export/export-format.ts';
import { EXPORT_FORMATS } from '../../jobs/export/index.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { exportQuery } from '../../schemas/page-job.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { FOREIGN_FILE_POLICY } from '../http/browser-protection.ts';
import { FILE_ENDPOINTS } from '../http/file-endpoints.ts';
import type { RequestChecks } from '../http/mount-route.ts';
import type { ApiDeps } from '../http/route.ts';
import { validate } from '../validation/validate.ts';
import { type DocumentSource, iterateDocuments, readDocument } from './documents.ts';
import { type RequestedPageJob, requirePageJob } from './require-page-job.ts';

/** Serves the documents of batches and crawls as files, which are written while they are sent. */
export function mountExports(
  app: Express,
  deps: ApiDeps,
  { authenticate, open, rateLimit }: RequestChecks,
): void {
  const findBaseUrl = createBaseUrl(deps.config);
  app.get(FILE_ENDPOINTS.export.paths, async (request, response) => {
    const { authorization } = request.headers;
    open.take(authorization ?? request.ip ?? '', response);
    const caller = await authenticate(authorization, request.ip);
    await rateLimit(caller, 'request');
    const { teamId } = caller;
    const { format, skip } = validate(exportQuery, { ...request.query }, 'query');
    const { id } = validate(jobIdParams, { id: request.params.id }, 'path');
    const kind = kindOf(request);
    const job = await requirePageJob(deps, { id, teamId, kind });
    const { mediaType, extension, load } = EXPORT_FORMATS[format];
    const write = await load();
    response.attachment(`${JOB_KINDS[kind].noun}-${id}${extension}`);
    response.set({ 'Content-Type': mediaType, 'Content-Security-Policy': FOREIGN_FILE_POLICY });
    const { db, results, config } = deps;
    const source = { db, results, baseUrl: findBaseUrl(request), secretKey: config.secretKey };
    const pages = readPages(source, { ...job, id, skip });
    // Documents are read when it is the turn of their team. A failure to read one aborts the response.
    const inTurn = deps.watched.eachInTurn(teamId, pages);
    await pipeline(Readable.from(write(inTurn), { objectMode: false, signal: deps.closing }), response);
  });
}

/** The kind of job that the path of a request names. */
const kindOf = ({ path }: Request): PageJobKind =>
  path.startsWith(`${JOB_KINDS.crawl.path}/`) ? 'crawl' : 'batch_scrape';

/** Reads the pages that a job has completed until now. */
async function* readPages(
  source: DocumentSource,
  { id, cipher, skip, completed }: RequestedPageJob & { id: string; skip: number },
): AsyncGenerator<ExportedPage> {
  for await (const row of iterateDocuments(source.db, id, skip, completed))
    yield { json: await readDocument(source, cipher, row), finishedAt: row.finishedAt };
}
