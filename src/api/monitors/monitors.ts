import { v7 as uuidv7 } from 'uuid';
import { errorsRaisedBy } from '../../errors.ts';
import { monitorNotFound } from '../../jobs/monitors/begin-check.ts';
import { type CancelDeps, cancelCheck } from '../../jobs/monitors/end-check.ts';
import {
  createMonitorBody,
  monitorParams,
  monitorsQuery,
  requireGoal,
  rotateFeedBody,
  updateMonitorBody,
} from '../../schemas/monitor.ts';
import { deleteMonitorResponse, monitorResponse, monitorsResponse } from '../../schemas/monitor-results.ts';
import { performOnce } from '../../storage/db/idempotency.ts';
import {
  changeMonitor,
  findMonitor,
  insertMonitor,
  listMonitors,
  listTags,
  type MonitorChange,
  type NewMonitor,
  replaceFeed,
  type StoredMonitor,
} from '../../storage/db/monitors/monitors.ts';
import {
  listSubscriptions,
  recipientsOf,
  subscribeRecipients,
} from '../../storage/db/monitors/subscriptions.ts';
import { type ApiDeps, defineRoute } from '../http/route.ts';
import { requireMailServer, sendMails } from './mail-settings.ts';
import { toMonitor } from './resources.ts';
import { columnsOf } from './settings.ts';

const TAG = 'Monitors';
const PATH = '/v2/monitor';
const ONE = `${PATH}/:id`;
const reading = { tag: TAG, method: 'get', rateLimited: false } as const;
const allowsLocalNames = ({ config }: ApiDeps) => config.allowPrivate.length > 0;

/** Lets the schedule of a monitor follow. Where Temporal does not respond, upkeep does it later. */
async function follow({ db, temporal, logger }: ApiDeps, monitor: StoredMonitor): Promise<void> {
  await temporal
    .followMonitor(db, monitor)
    .catch((error) =>
      logger.warn({ err: error, monitorId: monitor.id }, 'a schedule could not be changed yet'),
    );
}

/** Cancels the running check of a deleted monitor. */
async function cancelRunning(
  { db, config: { resultTtlMs }, temporal, logger }: ApiDeps,
  { current_check_id: checkId, team_id: teamId, webhook }: StoredMonitor,
): Promise<void> {
  if (checkId === null) return;
  const cancelWorkflow: CancelDeps['cancelWorkflow'] = (kind, jobId) =>
    temporal
      .cancelJob(kind, jobId)
      // Its row says so already, so that it stops at its next page.
      .catch((error) => logger.warn({ err: error, jobId }, 'a workflow could not be cancelled yet'));
  await cancelCheck({ db, resultTtlMs, cancelWorkflow }, checkId, 'The monitor was deleted.');
  // The check may not have begun to deliver its events. Where Temporal does not respond, upkeep does it later.
  if (webhook)
    await temporal
      .startDeliveries(checkId, teamId)
      .catch((error) => logger.warn({ err: error, checkId }, 'events could not be delivered yet'));
}

const create = defineRoute({
  tag: TAG,
  method: 'post',
  path: PATH,
  summary: 'Watch pages, sites or searches on a schedule',
  body: createMonitorBody,
  response: monitorResponse,
  errors: [
    ...errorsRaisedBy('options'),
    'FEATURE_NOT_AVAILABLE',
    'MONITOR_LIMIT_REACHED',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  async handler({ caller, body, rawBody, baseUrl, idempotencyKey }, deps) {
    const { config, db } = deps;
    const { teamId, apiKeyId } = caller;
    requireMailServer(config, body.notification);
    // The schema has filled in every setting.
    const settings = {
      webhook: null,
      notification: null,
      goal: null,
      judge_enabled: body.judgeEnabled ?? Boolean(body.goal),
      ...columnsOf(body, rawBody, allowsLocalNames(deps)),
    } as Required<Omit<MonitorChange, 'status'>>;
    const { id } = await performOnce(db, { teamId, key: idempotencyKey, request: rawBody }, async (query) => {
      const row: NewMonitor = {
        ...settings,
        id: uuidv7(),
        team_id: teamId,
        api_key_id: apiKeyId,
        base_url: baseUrl,
      };
      const stored = await insertMonitor(query, row, caller.monitors ?? config.maxMonitors);
      await subscribeRecipients(query, stored, []);
      return { id: stored.id };
    });
    const monitor = await requireMonitor(deps, id, teamId);
    await follow(deps, monitor);
    if (recipientsOf(monitor).length) await sendMails(deps, monitor);
    return { success: true as const, data: await describeMonitor(deps, monitor) };
  },
});

const list = defineRoute({
  ...reading,
  path: PATH,
  summary: 'List the monitors of the team',
  query: monitorsQuery,
  response: monitorsResponse,
  errors: [],
  async handler({ caller: { teamId }, query }, { db, config }) {
    const [monitors, tags] = await Promise.all([
      listMonitors(db, { teamId, ...query }),
      listTags(db, teamId),
    ]);
    const data = monitors.map((each) => toMonitor(each, config.secretKey));
    return { success: true as const, data, tags };
  },
});

const read = defineRoute({
  ...reading,
  path: ONE,
  summary: 'Get a monitor',
  params: monitorParams,
  response: monitorResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id } }, deps) {
    return {
      success: true as const,
      data: await describeMonitor(deps, await requireMonitor(deps, id, teamId)),
    };
  },
});

const update = defineRoute({
  tag: TAG,
  method: 'patch',
  path: ONE,
  summary: 'Change, pause or resume a monitor',
  params: monitorParams,
  body: updateMonitorBody,
  response: monitorResponse,
  errors: [...errorsRaisedBy('options'), 'NOT_FOUND', 'FEATURE_NOT_AVAILABLE'],
  async handler({ caller: { teamId }, params: { id }, body, rawBody }, deps) {
    const before = await requireMonitor(deps, id, teamId);
    requireMailServer(deps.config, body.notification);
    requireGoal({
      targets: body.targets ?? (before.targets as { type: string }[]),
      goal: body.goal === undefined ? before.goal : body.goal,
      judgeEnabled: body.judgeEnabled ?? before.judge_enabled,
    });
    const change = {
      // A goal is judged by itself, also where it comes later.
      ...(body.goal && before.goal === null && { judge_enabled: true }),
      ...columnsOf(body, rawBody, allowsLocalNames(deps)),
    };
    const monitor = await deps.db.query.transaction().execute(async (query) => {
      const changed = await changeMonitor({ query }, { id, teamId }, change);
      if (!changed) throw monitorNotFound(id);
      await subscribeRecipients(query, changed, recipientsOf(before));
      return changed;
    });
    await follow(deps, monitor);
    if (recipientsOf(monitor).length) await sendMails(deps, monitor);
    return { success: true as const, data: await describeMonitor(deps, monitor) };
  },
});

const remove = defineRoute({
  tag: TAG,
  method: 'delete',
  path: ONE,
  summary: 'Delete a monitor, and cancel its running check',
  params: monitorParams,
  response: deleteMonitorResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id } }, deps) {
    const monitor = await changeMonitor(deps.db, { id, teamId }, { status: 'deleted' });
    if (!monitor) throw monitorNotFound(id);
    await follow(deps, monitor);
    await cancelRunning(deps, monitor);
    return { success: true as const };
  },
});

const rotateFeed = defineRoute({
  tag: TAG,
  method: 'post',
  path: `${ONE}/feed/rotate`,
  summary: 'Replace the URL of the feed of a monitor',
  params: monitorParams,
  body: rotateFeedBody,
  response: monitorResponse,
  errors: ['NOT_FOUND'],
  async handler({ caller: { teamId }, params: { id } }, deps) {
    const monitor = await replaceFeed(deps.db, { id, teamId });
    if (!monitor) throw monitorNotFound(id);
    return { success: true as const, data: await describeMonitor(deps, monitor) };
  },
});

/** A monitor as the response to a request for it contains it. */
const describeMonitor = async ({ db, config: { secretKey } }: ApiDeps, monitor: StoredMonitor) =>
  toMonitor(monitor, secretKey, await listSubscriptions(db, monitor));

/** Finds a monitor of the team. @throws ServiceError `NOT_FOUND` */
export async function requireMonitor(
  { db }: Pick<ApiDeps, 'db'>,
  id: string,
  teamId: string,
): Promise<StoredMonitor> {
  const monitor = await findMonitor(db, { id, teamId });
  if (!monitor) throw monitorNotFound(id);
  return monitor;
}

/** The routes of monitors themselves. */
export const monitorSettingRoutes = [create, list, read, update, remove, rotateFeed];
