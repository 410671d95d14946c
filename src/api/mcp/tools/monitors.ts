import { z } from 'zod';
import { CHECK_STATES, PAGE_STATES } from '../../../schemas/monitor.ts';
import * as results from '../../../schemas/monitor-results.ts';
import { defineTool } from '../tool.ts';
import { idParameter } from './parameters.ts';

const PATH = '/v2/monitor';
const ONE = `${PATH}/:id`;
const idOfMonitor = idParameter('the monitor');
const limit = z.int().optional().describe('number of entries; 25 by default, at most 100');
const offset = z.int().optional().describe('number of entries to pass over');

/** Lists monitors. */
export const monitorList = defineTool({
  name: 'firecrawl_monitor_list',
  title: 'List monitors',
  description: 'Lists the monitors of the team with their schedules, targets and last checks, newest first.',
  input: z.looseObject({ limit, offset }),
  output: results.monitorsResponse,
  hints: { readOnly: true },
  readAgain: (_, query) => ({ path: PATH, query }),
  run: (query, { call }) => call({ method: 'get', path: PATH, query }),
});

/** Reads a monitor. */
export const monitorGet = defineTool({
  name: 'firecrawl_monitor_get',
  title: 'Read a monitor',
  description: 'Returns a monitor: its schedule, targets, next check and the numbers of its last one.',
  input: idOfMonitor,
  output: results.monitorResponse,
  hints: { readOnly: true },
  readAgain: (_, { id }) => ({ path: ONE, params: { id } }),
  run: ({ id }, { call }) => call({ method: 'get', path: ONE, params: { id } }),
});

/** Changes a monitor. */
export const monitorUpdate = defineTool({
  name: 'firecrawl_monitor_update',
  title: 'Change a monitor',
  description:
    'Changes members of a monitor: name, tags, status (active or paused), schedule, targets, goal, judgeEnabled (whether a model judges changes by the goal), webhook, notification (mails), retentionDays. What body does not name stays as it is.',
  input: idOfMonitor.extend({ body: z.record(z.string(), z.unknown()).describe('the members to change') }),
  output: results.monitorResponse,
  hints: { destructive: true, idempotent: true, openWorld: true },
  run: ({ id, body }, { call }) => call({ method: 'patch', path: ONE, params: { id }, body }),
});

/** Deletes a monitor. */
export const monitorDelete = defineTool({
  name: 'firecrawl_monitor_delete',
  title: 'Delete a monitor',
  description: 'Deletes a monitor with its checks for good, and cancels the check that is running.',
  input: idOfMonitor,
  output: results.deleteMonitorResponse,
  hints: { destructive: true },
  run: ({ id }, { call }) => call({ method: 'delete', path: ONE, params: { id } }),
});

/** Begins a check. */
export const monitorRun = defineTool({
  name: 'firecrawl_monitor_run',
  title: 'Check a monitor now',
  description:
    'Begins a check of a monitor outside its schedule, and returns the check. firecrawl_monitor_check has its pages later.',
  input: idOfMonitor,
  output: results.runMonitorResponse,
  hints: { openWorld: true },
  run: ({ id }, { call }) => call({ method: 'post', path: `${ONE}/run`, params: { id }, body: {} }),
});

const checksParameters = idOfMonitor.extend({ limit, offset, status: z.enum(CHECK_STATES).optional() });

const checksOf = ({ id, ...query }: z.input<typeof checksParameters>) => ({
  path: `${ONE}/checks`,
  params: { id },
  query,
});

/** Lists checks. */
export const monitorChecks = defineTool({
  name: 'firecrawl_monitor_checks',
  title: 'List the checks of a monitor',
  description:
    'Lists the checks of a monitor with the numbers of same, new, changed and removed pages, newest first.',
  input: checksParameters,
  output: results.checksResponse,
  hints: { readOnly: true },
  readAgain: (_, args) => checksOf(args),
  run: (args, { call }) => call({ method: 'get', ...checksOf(args) }),
});

const checkParameters = idOfMonitor.extend({
  checkId: z.string().describe('id of the check'),
  limit,
  skip: offset,
  pageStatus: z.enum(PAGE_STATES).optional().describe('only pages with this outcome'),
});

const checkOf = ({ id, checkId, pageStatus, ...query }: z.input<typeof checkParameters>) => ({
  path: `${ONE}/checks/:checkId`,
  params: { id, checkId },
  query: { ...query, status: pageStatus },
});

/** Reads a check. */
export const monitorCheck = defineTool({
  name: 'firecrawl_monitor_check',
  title: 'Read a check of a monitor',
  description:
    'Returns a check with its pages: whether each is same, new, changed or removed, and what differs, as a diff of the text or of the data.',
  input: checkParameters,
  output: results.checkResponse,
  hints: { readOnly: true },
  readAgain: (_, args) => checkOf(args),
  run: (args, { call }) => call({ method: 'get', ...checkOf(args) }),
});
