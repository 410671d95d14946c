import { ServiceError } from '../../errors.ts';
import { beginManualCheck } from '../../jobs/monitors/begin-check.ts';
import { readDetails } from '../../jobs/monitors/page-details.ts';
import {
  checkParams,
  checkQuery,
  checksQuery,
  monitorParams,
  runMonitorBody,
} from '../../schemas/monitor.ts';
import { checkResponse, checksResponse, runMonitorResponse } from '../../schemas/monitor-results.ts';
import { withPictureUrls } from '../../storage/blobs/picture-urls.ts';
import { findCheck, listChecks } from '../../storage/db/monitors/checks.ts';
import { countMails } from '../../storage/db/monitors/mails.ts';
import { listCheckPages, summarizePages } from '../../storage/db/monitors/pages.ts';
import { defineRoute } from '../http/route.ts';
import { requireMonitor } from './monitors.ts';
import { toCheck, toCheckPage } from './resources.ts';

const TAG = 'Monitors';
const ONE = '/v2/monitor/:id';
const reading = { tag: TAG, method: 'get', rateLimited: false } as const;

const run = defineRoute({
  tag: TAG,
  method: 'post',
  path: `${ONE}/run`,
  summary: 'Check a monitor now',
  params: monitorParams,
  body: runMonitorBody,
  response: runMonitorResponse,
  errors: ['NOT_FOUND', 'JOB_RUNNING', 'INSUFFICIENT_CREDITS', 'INSUFFICIENT_STORAGE', 'SERVICE_UNAVAILABLE'],
  async handler({ caller: { teamId }, params: { id } }, { db, config, storage, temporal }) {
    await storage.requireSpace();
    const { monitor, check } = await beginManualCheck(
      { db, resultTtlMs: config.resultTtlMs, hasModel: config.llm !== undefined },
      { id, teamId },
    );
    await temporal.startCheck({ checkId: check.id, teamId, name: monitor.name });
    return { success: true as const, id: check.id, data: toCheck(check) };
  },
});

const list = defineRoute({
  ...reading,
  path: `${ONE}/checks`,
  summary: 'List the checks of a monitor',
  params: monitorParams,
  query: checksQuery,
  response: checksResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id }, query }, deps) {
    await requireMonitor(deps, id, teamId);
    const checks = await listChecks(deps.db, { monitorId: id, ...query });
    const mails = await countMails(
      deps.db,
      checks.map((check) => check.id),
    );
    return { success: true as const, data: checks.map((check) => toCheck(check, mails.get(check.id))) };
  },
});

const read = defineRoute({
  ...reading,
  path: `${ONE}/checks/:checkId`,
  summary: 'Get a check of a monitor, with its pages',
  params: checkParams,
  query: checkQuery,
  response: checkResponse,
  errors: ['NOT_FOUND'],
  async handler(
    { caller: { teamId }, params: { id, checkId }, query: { limit, skip, status }, baseUrl },
    deps,
  ) {
    const { db, monitorBlobs, config } = deps;
    await requireMonitor(deps, id, teamId);
    const check = await findCheck(db, checkId);
    if (check?.monitor_id !== id)
      throw new ServiceError(
        'NOT_FOUND',
        `The monitor has no check ${checkId} (any more). GET /v2/monitor/${id}/checks lists its checks.`,
      );
    const rows = await listCheckPages(db, { checkId, status, limit: limit + 1, skip });
    const pages = await Promise.all(
      rows.slice(0, limit).map(async (row) => {
        const details = await readDetails(monitorBlobs, row.blob);
        return toCheckPage(row, withPictureUrls(details, { baseUrl, secretKey: config.secretKey }));
      }),
    );
    const filter = status ? `&status=${status}` : '';
    const next =
      rows.length > limit
        ? `${baseUrl}/v2/monitor/${id}/checks/${checkId}?limit=${limit}&skip=${skip + limit}${filter}`
        : undefined;
    const summary = check.summary ?? (await summarizePages(db, checkId));
    const more = next === undefined ? {} : { next };
    const mails = (await countMails(db, [checkId])).get(checkId);
    const data = { ...toCheck({ ...check, summary }, mails), pages, ...more };
    return { success: true as const, ...more, data };
  },
});

/** The routes of the checks of monitors. */
export const monitorCheckRoutes = [run, list, read];
