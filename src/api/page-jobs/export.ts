import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Response } from 'express';
import type { z } from 'zod';
import { JOB_KINDS } from '../../job-kinds.ts';
import { readPageArchive } from '../../jobs/archive/page-archive.ts';
import type { ExportedPage } from '../../jobs/export/export-format.ts';
import { EXPORT_FORMATS } from '../../jobs/export/index.ts';
import { jobIdParams } from '../../schemas/job-id.ts';
import { exportQuery } from '../../schemas/page-job.ts';
import { createBaseUrl } from '../http/base-url.ts';
import { FOREIGN_FILE_POLICY } from '../http/browser-protection.ts';
import { EXPORTED_KINDS, exportPath } from '../http/file-endpoints.ts';
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
  for (const kind of EXPORTED_KINDS) {
    app.get(exportPath(kind), async (request, response) => {
      const { authorization } = request.headers;
      open.take(authorization ?? request.ip ?? '', response);
      const caller = await authenticate(authorization, request.ip);
      await rateLimit(caller, 'request');
      const { query, params } = request;
      const { format, skip } = validate(exportQuery, { ...query }, 'query');
      const { id } = validate(jobIdParams, { id: params.id }, 'path');
      const job = await requirePageJob(deps, { id, teamId: caller.teamId, kind, below: '/export' });
      const { mediaType, extension } = EXPORT_FORMATS[format];
      response.attachment(`${JOB_KINDS[kind].noun}-${id}${extension}`);
      response.set({ 'Content-Type': mediaType, 'Content-Security-Policy': FOREIGN_FILE_POLICY });
      await sendExport(response, { ...job, id, format, skip, baseUrl: findBaseUrl(request) }, deps);
    });
  }
}

type RequestedExport = RequestedPageJob & z.output<typeof exportQuery> & { id: string; baseUrl: string };

/** Writes a file while it is sent. A failure to read a document aborts the response. */
async function sendExport(response: Response, job: RequestedExport, deps: ApiDeps): Promise<void> {
  const { db, results, config, watched, closing } = deps;
  const write = await EXPORT_FORMATS[job.format].load();
  const source = { db, results, baseUrl: job.baseUrl, secretKey: config.secretKey };
  // Documents are read when it is the turn of their team.
  const pages = watched.eachInTurn(job.teamId, readPages(source, job));
  await pipeline(Readable.from(write(pages), { objectMode: false, signal: closing }), response);
}

/** Reads the pages that a job has completed until now. */
async function* readPages(
  source: DocumentSource,
  { id, cipher, skip, completed }: RequestedExport,
): AsyncGenerator<ExportedPage> {
  for await (const row of iterateDocuments(source.db, id, skip, completed)) {
    const { archive, finishedAt } = row;
    const readArchive =
      archive === null ? undefined : () => readPageArchive({ blobs: source.results, cipher }, archive);
    yield { json: await readDocument(source, cipher, row), finishedAt, readArchive };
  }
}
