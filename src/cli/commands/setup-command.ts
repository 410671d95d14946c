import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { findChromium } from '../../run/embedded/chromium.ts';
import { installLanguages } from '../../run/embedded/code-languages/install-languages.ts';
import { postgresDir } from '../../run/embedded/postgres.ts';
import { findPostgresPrograms } from '../../run/embedded/postgres-programs.ts';
import { installPackages } from '../../run/embedded/system-packages.ts';
import { ensureTemporalBinary } from '../../run/embedded/temporal/temporal-binary.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { onInterrupt } from '../interrupt.ts';

/** `setup`: downloads and builds everything that a start needs, and starts nothing. */
export const setupCommand = defineCommand({
  meta: { name: 'setup', description: 'install and build what is missing, then exit' },
  async run() {
    const config = readConfig();
    const progress = new TerminalProgress();
    const { signal } = onInterrupt(progress.note);
    const cacheDir = resolve(config.cacheDir);
    await Promise.all([
      config.temporalAddress ? undefined : ensureTemporalBinary(cacheDir, progress, signal),
      installPackages({ cacheDir, progress, signal, insist: true }).then(() =>
        Promise.all([
          progress.step('Preparing the browser', () => findChromium({ chromium: config.chromium, cacheDir })),
          installLanguages({ cacheDir, progress, signal, insist: true }),
        ]),
      ),
    ]);
    if (!config.databaseUrl) findPostgresPrograms(postgresDir(resolve(config.dataDir)));
    progress.note('Everything that a start needs is installed.');
  },
});
