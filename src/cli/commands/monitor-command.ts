import { defineCommand } from 'citty';
import { fieldsOf } from '../../json/json-object.ts';
import { monitorArgs, readMonitor } from '../monitor-arguments.ts';
import {
  findCheckWithChanges,
  formatDiff,
  formatPages,
  formatSummary,
  monitorPath,
  readAll,
  readCheck,
  waitForCheck,
} from '../monitor-checks.ts';
import { printTable } from '../print-table.ts';
import { askRunningService, withRunningService } from '../running-service.ts';
import { importCommand } from './monitor-import.ts';
import { askHistoryCommand, judgeCommand, queryOf, seriesCommand } from './monitor-reviews.ts';

const PATH = '/v2/monitor';
const id = { type: 'positional', description: 'id of the monitor', required: true } as const;
const json = { type: 'boolean', description: 'print JSON' } as const;
/** Checks that `show` prints. */
const SHOWN_CHECKS = 10;

const printJson = (value: unknown) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));

const create = defineCommand({
  meta: { name: 'create', description: 'watch pages, sites or searches, and print the id of the monitor' },
  args: monitorArgs,
  async run({ args, rawArgs }) {
    const body = readMonitor(args, rawArgs);
    const { data } = await askRunningService('Creating the monitor', { method: 'POST', path: PATH, body });
    const monitor = fieldsOf(data);
    process.stderr.write(`It checks next at ${textOf(monitor.nextRunAt)}.\n`);
    process.stdout.write(`${textOf(monitor.id)}\n`);
  },
});

const list = defineCommand({
  meta: { name: 'list', description: 'list the monitors of the team' },
  args: { json, tag: { type: 'string', valueHint: 'text', description: 'only monitors with this tag' } },
  async run({ args }) {
    const path = PATH + queryOf({ tag: args.tag });
    const monitors = await withRunningService('Reading the monitors', (service) => readAll(service, path));
    if (args.json) printJson(monitors);
    else if (!monitors.length) process.stderr.write('The team has no monitors.\n');
    else
      printTable(
        monitors.map((monitor) => ({
          id: textOf(monitor.id),
          name: textOf(monitor.name),
          tags: Array.isArray(monitor.tags) ? monitor.tags.join(', ') : '',
          status: textOf(monitor.status),
          next: textOf(monitor.nextRunAt),
          'last check': formatSummary(monitor.lastCheckSummary),
        })),
      );
  },
});

const show = defineCommand({
  meta: { name: 'show', description: 'show a monitor and its last checks' },
  args: { id, json },
  async run({ args }) {
    const path = monitorPath(args.id);
    const { monitor, checks } = await withRunningService('Reading the monitor', async ({ send }) => ({
      monitor: fieldsOf((await send({ method: 'GET', path })).data),
      checks: (await send({ method: 'GET', path: `${path}/checks?limit=${SHOWN_CHECKS}` })).data,
    }));
    if (args.json) return printJson({ ...monitor, checks });
    for (const [name, value] of Object.entries(monitor)) {
      const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
      process.stdout.write(`${name.padEnd(26)}${text}\n`.replace(/ +\n$/, '\n'));
    }
    const rows = (Array.isArray(checks) ? checks : []).map(fieldsOf);
    if (!rows.length) return;
    process.stdout.write('\n');
    printTable(
      rows.map((check) => ({
        check: textOf(check.id),
        status: textOf(check.status),
        begun: textOf(check.startedAt ?? check.scheduledFor),
        pages: formatSummary(check.summary),
        error: textOf(check.error),
      })),
    );
  },
});

const run = defineCommand({
  meta: { name: 'run', description: 'check a monitor now, wait for the end, and print what changed' },
  args: { id, detach: { type: 'boolean', description: 'print the id of the check, and exit' }, json },
  async run({ args }) {
    const check = await withRunningService('Checking', async (service) => {
      const request = {
        method: 'POST',
        path: `${monitorPath(args.id)}/run`,
        body: { origin: 'cli' },
      } as const;
      const begun = await service.send(request);
      const checkId = textOf(begun.id);
      return args.detach ? checkId : waitForCheck(service, { id: args.id, checkId });
    });
    if (typeof check === 'string') return void process.stdout.write(`${check}\n`);
    if (args.json) printJson(check);
    else process.stdout.write(formatPages(check.pages, false));
    process.stderr.write(
      `The check is ${textOf(check.status)}: ${formatSummary(check.summary) || 'no pages'}.\n`,
    );
    if (check.warning) process.stderr.write(`Warning: ${textOf(check.warning)}\n`);
    if (check.error) process.stderr.write(`${textOf(check.error)}\n`);
    if (check.status === 'failed') process.exitCode = 1;
  },
});

/** The command that pauses or resumes a monitor. */
const change = (name: string, description: string, status: 'active' | 'paused') =>
  defineCommand({
    meta: { name, description },
    args: { id },
    async run({ args }) {
      const request = {
        method: 'PATCH',
        path: monitorPath(args.id),
        body: { status, origin: 'cli' },
      } as const;
      const { data } = await askRunningService('Changing the monitor', request);
      const next = fieldsOf(data).nextRunAt;
      process.stdout.write(`${args.id} is ${status}${next ? ` and checks next at ${textOf(next)}` : ''}.\n`);
    },
  });

const remove = defineCommand({
  meta: { name: 'delete', description: 'delete a monitor, and cancel its running check' },
  args: { id },
  async run({ args }) {
    await askRunningService('Deleting the monitor', { method: 'DELETE', path: monitorPath(args.id) });
    process.stdout.write(`${args.id} is deleted.\n`);
  },
});

const rotateFeed = defineCommand({
  meta: {
    name: 'rotate-feed',
    description: 'replace the URL of the feed of a monitor, and print the new one',
  },
  args: { id },
  async run({ args }) {
    const path = `${monitorPath(args.id)}/feed/rotate`;
    const request = { method: 'POST', path, body: { origin: 'cli' } } as const;
    const { data } = await askRunningService('Replacing the URL', request);
    process.stdout.write(`${textOf(fieldsOf(data).feedUrl)}\n`);
  },
});

const diff = defineCommand({
  meta: {
    name: 'diff',
    description:
      'print what changed in the last check that found something, or between any two checks of a page',
  },
  args: {
    id,
    check: { type: 'string', valueHint: 'id', description: 'another check' },
    from: { type: 'string', valueHint: 'id', description: 'compare a page of this check, …' },
    to: { type: 'string', valueHint: 'id', description: '… with the same page of this later one' },
    url: { type: 'string', valueHint: 'url', description: 'the page, where the monitor has several' },
    json,
  },
  async run({ args }) {
    if (args.from !== undefined || args.to !== undefined) return compare(args);
    const check = await withRunningService('Reading the check', async (service) => {
      const checkId = args.check ?? (await findCheckWithChanges(service, args.id));
      return checkId === undefined ? undefined : readCheck(service, { id: args.id, checkId });
    });
    if (!check) process.stderr.write('None of the last checks has found a change.\n');
    else if (args.json) printJson(check);
    else process.stdout.write(formatPages(check.pages, true));
  },
});

/** Prints what differs between two checks of a page. */
async function compare(args: {
  id: string;
  from?: string | undefined;
  to?: string | undefined;
  url?: string | undefined;
  json?: boolean | undefined;
}): Promise<void> {
  const path = `${monitorPath(args.id)}/compare${queryOf({ from: args.from, to: args.to, url: args.url })}`;
  const { data } = await askRunningService('Comparing', { method: 'GET', path });
  const { isSame, diff: found } = fieldsOf(data);
  if (args.json) printJson(data);
  else if (isSame === true) process.stderr.write('Nothing differs between the checks.\n');
  else process.stdout.write(`${formatDiff(found) || 'The difference is too large to be shown.'}\n`);
}

/** `monitor`: manages monitors, which need a service that goes on running. */
export const monitorCommand = defineCommand({
  meta: { name: 'monitor', description: 'watch pages: create, list, show, run, pause, resume, delete, diff' },
  subCommands: {
    create,
    list,
    show,
    run,
    pause: change('pause', 'check no more until it is resumed', 'paused'),
    resume: change('resume', 'check again on schedule', 'active'),
    delete: remove,
    'rotate-feed': rotateFeed,
    diff,
    judge: judgeCommand,
    ask: askHistoryCommand,
    series: seriesCommand,
    import: importCommand,
  },
});
