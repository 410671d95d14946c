import type { Comparison } from '../../content/changes/compare.ts';
import { ServiceError } from '../../errors.ts';
import { watchedPageOf } from '../../jobs/monitors/watched-page.ts';
import { monitorParams } from '../../schemas/monitor.ts';
import {
  compareQuery,
  compareResponse,
  historyQuery,
  historyResponse,
  seriesQuery,
  seriesResponse,
} from '../../schemas/monitor-history.ts';
import { listHistory, listSeries } from '../../storage/db/monitors/history.ts';
import { defineRoute } from '../http/route.ts';
import { requireMonitor } from './monitors.ts';
import { runReview } from './run-review.ts';

const ONE = '/v2/monitor/:id';
const reading = { tag: 'Monitors', method: 'get', params: monitorParams } as const;

const history = defineRoute({
  ...reading,
  rateLimited: false,
  path: `${ONE}/history`,
  summary: 'List what checks found of a page',
  query: historyQuery,
  response: historyResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id }, query: { limit, ...named } }, deps) {
    const page = watchedPageOf(await requireMonitor(deps, id, teamId), named);
    const rows = await listHistory(deps.db, page, { limit });
    const data = rows.map(({ check_id: checkId, created_at, target_id: targetId, url, status, ...row }) => ({
      checkId,
      checkedAt: created_at.toISOString(),
      targetId,
      url,
      status,
      hasVersion: row.version !== null,
      judgment: row.judgment,
    }));
    return { success: true as const, data };
  },
});

const series = defineRoute({
  ...reading,
  rateLimited: false,
  path: `${ONE}/series`,
  summary: 'Get the values of the data of a page over time',
  query: seriesQuery,
  response: seriesResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id }, query: { limit, field, ...named } }, deps) {
    const page = watchedPageOf(await requireMonitor(deps, id, teamId), named);
    const points = await listSeries(deps.db, page, { field, limit });
    const data = [...Map.groupBy(points, (point) => point.field)].map(([name, own]) => ({
      field: name,
      points: own.map(({ checkId, checkedAt, value }) => ({
        checkId,
        checkedAt: checkedAt.toISOString(),
        value,
      })),
    }));
    return { success: true as const, data };
  },
});

const compare = defineRoute({
  ...reading,
  path: `${ONE}/compare`,
  summary: 'Compare what two checks read of a page',
  query: compareQuery,
  response: compareResponse,
  errors: ['NOT_FOUND', 'INSUFFICIENT_STORAGE', 'MODEL_UNAVAILABLE'],
  async handler({ caller, params: { id }, query: { from, to, ...named }, signal }, deps) {
    const page = watchedPageOf(await requireMonitor(deps, id, caller.teamId), named);
    const rows = await listHistory(deps.db, page, { limit: 100, checkIds: [from, to] });
    const versionAt = (checkId: string) => {
      const row = rows.find(({ check_id, version }) => check_id === checkId && version !== null);
      if (row?.version)
        return {
          url: row.url,
          version: row.version,
          at: { checkId, checkedAt: row.created_at.toISOString() },
        };
      throw new ServiceError(
        'NOT_FOUND',
        `The check ${checkId} has no text of this page. GET ${ONE.replace(':id', id)}/history lists the checks that have one (hasVersion).`,
      );
    };
    const [before, after] = [versionAt(from), versionAt(to)];
    const request = { from: before.version, to: after.version };
    const { isSame, diff, json } = await runReview<Comparison>({ caller, request, price: 0, signal }, deps);
    const found =
      isSame || !(diff ?? json) ? null : { ...(diff && { text: diff.text }), json: json ?? diff?.json };
    return {
      success: true as const,
      data: { url: after.url, from: before.at, to: after.at, isSame, diff: found },
    };
  },
});

/** The routes of the history of a page that a monitor watches. */
export const monitorHistoryRoutes = [history, series, compare];
