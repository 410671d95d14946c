import { readFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { createMonitorBody } from '../../schemas/monitor.ts';
import { monitorPath } from '../monitor-checks.ts';
import type { ImportedMonitor } from '../monitor-import/imported-monitor.ts';
import { readList } from '../monitor-import/read-list.ts';
import { type ServiceRequests, withRunningService } from '../running-service.ts';

const DAY_SECONDS = 86_400;

/** What became of an entry of the list. */
interface Outcome {
  result: string;
  isImported: boolean;
}

/** `monitor import`: creates monitors by the list of another program, and reports what has no counterpart. */
export const importCommand = defineCommand({
  meta: { name: 'import', description: 'create monitors by the list of changedetection.io or urlwatch' },
  args: {
    file: {
      type: 'positional',
      description: 'url-watches.json or a backup (zip) of changedetection.io, or urls.yaml of urlwatch',
      required: true,
    },
    'dry-run': { type: 'boolean', description: 'only report what would be created' },
    timezone: {
      type: 'string',
      valueHint: 'zone',
      description: 'time zone of the schedules',
      default: 'UTC',
    },
  },
  async run({ args }) {
    const bytes = await readFile(args.file).catch((error) => {
      throw new ServiceError('BAD_REQUEST', `The list ${args.file} cannot be read: ${error.message}`);
    });
    const monitors = readList(bytes, { intervalSeconds: DAY_SECONDS, timezone: args.timezone });
    const outcomes = args['dry-run']
      ? monitors.map((monitor) => report(monitor, checkOnly(monitor)))
      : await withRunningService('Creating monitors', async (service) => {
          const done: Outcome[] = [];
          for (const monitor of monitors) done.push(report(monitor, await create(service, monitor)));
          return done;
        });
    const imported = outcomes.filter(({ isImported }) => isImported).length;
    const verb = args['dry-run'] ? 'would be imported' : 'were imported';
    process.stderr.write(`${imported} of ${monitors.length} ${verb}.\n`);
    if (imported < monitors.length) process.exitCode = 1;
  },
});

/** Prints a line for an entry, and one for each thing that has no counterpart. */
function report({ label, notes }: ImportedMonitor, outcome: Outcome): Outcome {
  const lines = [`${outcome.result}  ${label}`, ...notes.map((note) => `  - ${note}`)];
  process.stdout.write(`${lines.join('\n')}\n`);
  return outcome;
}

function checkOnly({ body }: ImportedMonitor): Outcome {
  if (!body) return { result: 'skipped', isImported: false };
  const checked = createMonitorBody.safeParse(body);
  if (checked.success) return { result: checked.data.schedule.cron, isImported: true };
  return { result: `refused (${z.prettifyError(checked.error).replace(/\s+/g, ' ')})`, isImported: false };
}

/** Creates a monitor. One that the service refuses does not keep it from creating the others. */
async function create({ send }: ServiceRequests, { body, isPaused }: ImportedMonitor): Promise<Outcome> {
  if (!body) return { result: 'skipped', isImported: false };
  try {
    const { data } = await send({ method: 'POST', path: '/v2/monitor', body });
    const id = String(fieldsOf(data).id);
    const status = { status: 'paused', origin: 'cli' };
    if (isPaused) await send({ method: 'PATCH', path: monitorPath(id), body: status });
    return { result: id, isImported: true };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'BAD_REQUEST') throw error;
    return { result: `refused (${error.message})`, isImported: false };
  }
}
