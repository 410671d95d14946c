import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from 'citty';
import { type Config, readConfig } from '../../config.ts';
import { type Instance, startInstance } from '../../main.ts';
import type { ModelFinding } from '../../models/check-models.ts';
import type { ModelSettings } from '../../models/index.ts';
import { WITHOUT_MODEL } from '../../models/without-model.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { collectWheneverAtRest } from '../../run/process/collect-at-rest.ts';
import { parseTemporalAddress } from '../../temporal/target.ts';
import { waitForInstance } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';

/** Time for the language model to respond while everything else starts. */
const MODEL_TIMEOUT_MS = 10_000;

/** `up`: runs everything on this machine until Ctrl-C, then exits with 0. */
export const upCommand = defineCommand({
  meta: { name: 'up', description: 'start everything and stay in the foreground (the default)' },
  async run() {
    const startedAt = performance.now();
    const config = readConfig();
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    let instance: Instance | undefined;
    const checking = config.llm ? checkConfiguredModels(config.llm) : undefined;
    try {
      instance = await startInstance({ config, progress, ...interrupt });
      if (!instance) return await printRunningInstance(config.dataDir, interrupt.signal);
    } catch (error) {
      // An interrupt during the start is a normal end.
      if (interrupt.signal.aborted) return;
      throw error;
    }
    const readyMs = performance.now() - startedAt;
    process.stdout.write(formatWelcome(config, instance, { readyMs, models: await checking }));
    void collectWheneverAtRest();
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await progress.step('Stopping', instance.stop);
    progress.note('Stopped. Data and unfinished jobs are kept.');
  },
});

/** Checks the models. Without one, this process stays without the libraries that it takes. */
async function checkConfiguredModels(settings: ModelSettings): Promise<ModelFinding[]> {
  const { checkModels } = await import('../../models/check-models.ts');
  return checkModels(settings, MODEL_TIMEOUT_MS);
}

async function printRunningInstance(dataDir: string, signal: AbortSignal): Promise<void> {
  const running = await waitForInstance(dataDir, signal);
  process.stdout.write(
    running
      ? `Winnow is already running on ${dataDir} (process ${running.pid}): ${running.urls.api}\n`
      : `Winnow was running on ${dataDir} and is shutting down. Start it again.\n`,
  );
}

/** The web interface asks for a password where Temporal has a network of its own. */
function describeTemporal(url: string, dataDir: string): string {
  const file = join(dataDir, 'temporal-password');
  return existsSync(file) ? `${url}  (user winnow, password in ${file})` : url;
}

function formatWelcome(
  config: Config,
  { urls, apiKey }: Instance,
  { readyMs, models }: { readyMs: number; models: ModelFinding[] | undefined },
): string {
  const { file, isNew, value } = apiKey;
  const key = isNew ? value : file ? `in ${file}` : 'the value of WINNOW_API_KEY';
  const inCommand = isNew ? value : file ? `$(cat ${file})` : '$WINNOW_API_KEY';
  const rows = [
    ['API', urls.api],
    ['Console', `${urls.api}/console`],
    ['Reference', `${urls.api}/docs`],
    [
      'Temporal',
      urls.temporalUi
        ? describeTemporal(urls.temporalUi, config.dataDir)
        : parseTemporalAddress(config.temporalAddress ?? '').address,
    ],
    ['API key', isNew ? `${key}  (shown only once; stored in ${file})` : key],
    [
      'Admin key',
      config.adminKey ? 'the value of WINNOW_ADMIN_KEY' : `in ${join(config.dataDir, 'admin-key')}`,
    ],
    ['Data', `${config.dataDir} (logs: ${join(config.dataDir, 'logs')})`],
    ...(models?.map(({ text }) => ['Model', text]) ?? [['Model', WITHOUT_MODEL]]),
  ];
  return [
    '',
    `Winnow is ready after ${(readyMs / 1000).toFixed(1)} s. Ctrl-C stops it.`,
    '',
    ...rows.map(([name, text]) => `  ${name?.padEnd(11)}${text}`),
    '',
    'Try it:',
    '',
    `  curl ${urls.api}/v2/scrape -H "Authorization: Bearer ${inCommand}" \\`,
    `    -H 'Content-Type: application/json' -d '{"url": "https://example.com"}'`,
    '',
    '',
  ].join('\n');
}
