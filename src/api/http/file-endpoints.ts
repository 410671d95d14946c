import { JOB_KINDS, type PageJobKind } from '../../job-kinds.ts';
import { FEEDS_PATH, SUBSCRIPTIONS_PATH } from '../../jobs/monitors/signed-links.ts';
import { FILES_PATH } from '../../storage/blobs/file-urls.ts';
import { UPLOAD_PATH } from '../parse/uploads.ts';
import { OPENED_SESSION_ERRORS } from '../sessions/session-state.ts';
import type { CheckedEndpoint } from './route-error-codes.ts';

/** An endpoint whose requests or responses are files. */
export interface FileEndpoint extends CheckedEndpoint {
  method: 'get' | 'put' | 'post';
  /** Its paths in the syntax of Express; browser sessions have two. */
  paths: string[];
}

/** The paths of a session under both names of the resource. */
const sessionPaths = (rest: string) => ['browser', 'interact'].map((base) => `/v2/${base}/:id/${rest}`);

/** The kinds of jobs whose documents can be exported. */
export const EXPORTED_KINDS = ['batch_scrape', 'crawl'] as const satisfies PageJobKind[];

/** The path of the export of a kind of jobs, in the syntax of Express. */
export const exportPath = (kind: PageJobKind) => `${JOB_KINDS[kind].path}/:id/export`;

/** The endpoints that are not among the routes, with the error codes that their handlers may throw. */
export const FILE_ENDPOINTS = {
  download: {
    method: 'get',
    paths: [`${FILES_PATH}/:token`],
    needsKey: false,
    errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  },
  upload: {
    method: 'put',
    paths: [`${UPLOAD_PATH}/:token`],
    needsKey: false,
    errors: ['NOT_FOUND', 'UPLOAD_TOO_SLOW', 'UPLOAD_IN_USE', 'REQUEST_TOO_LARGE', 'INSUFFICIENT_STORAGE'],
  },
  subscriptionPage: {
    method: 'get',
    paths: [`${SUBSCRIPTIONS_PATH}/:token`],
    needsKey: false,
    errors: ['NOT_FOUND'],
  },
  subscription: {
    method: 'post',
    paths: [`${SUBSCRIPTIONS_PATH}/:token`],
    needsKey: false,
    errors: ['NOT_FOUND', 'REQUEST_TOO_LARGE'],
  },
  monitorFeed: {
    method: 'get',
    paths: [`${FEEDS_PATH}/:token`],
    needsKey: false,
    errors: ['NOT_FOUND'],
  },
  export: {
    method: 'get',
    paths: EXPORTED_KINDS.map(exportPath),
    errors: ['NOT_FOUND'],
  },
  sessionDownload: {
    method: 'get',
    paths: sessionPaths('downloads/:name'),
    errors: ['NOT_FOUND', ...OPENED_SESSION_ERRORS],
  },
  sessionReplay: {
    method: 'get',
    paths: sessionPaths('replay'),
    errors: ['NOT_FOUND', ...OPENED_SESSION_ERRORS],
  },
  sessionUpload: {
    method: 'post',
    paths: sessionPaths('cdp/:secret/files'),
    needsKey: false,
    errors: ['NOT_FOUND', 'UPLOAD_TOO_SLOW', 'REQUEST_TOO_LARGE', ...OPENED_SESSION_ERRORS],
  },
} satisfies Record<string, FileEndpoint>;
