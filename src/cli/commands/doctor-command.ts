import { accessSync, constants, existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defineCommand } from 'citty';
import { openBackupPlace } from '../../backup/places/open-place.ts';
import { type Config, readConfig } from '../../config.ts';
import { conversionProgram } from '../../content/parsers/conversion/document-converter.ts';
import { messageOf } from '../../errors.ts';
import {
  BROWSER_UID,
  launchChromium,
  noSandboxWarning,
} from '../../fetch/browser/chromium/launch-chromium.ts';
import { checkModels } from '../../models/check-models.ts';
import { WITHOUT_MODEL } from '../../models/without-model.ts';
import { findInstalledChromium } from '../../run/embedded/chromium.ts';
import { runCommand } from '../../run/embedded/command.ts';
import { findPortOwner, isPortFree } from '../../run/embedded/ports.ts';
import { postgresDir } from '../../run/embedded/postgres.ts';
import { findPostgresPrograms } from '../../run/embedded/postgres-programs.ts';
import { findRunningInstance } from '../../run/embedded/supervision/run-file.ts';
import { findMissingPackages, installCommand } from '../../run/embedded/system-packages.ts';
import { canHaveOwnNetwork, OPEN_TEMPORAL } from '../../run/embedded/temporal/own-network.ts';
import { findTemporalBinary } from '../../run/embedded/temporal/temporal-binary.ts';
import { TEMPORAL_CLI_VERSION } from '../../run/embedded/temporal/temporal-download.ts';
import { LANGUAGES, type Language } from '../../schemas/session.ts';
import { checkLanguage } from '../../sessions/code/languages.ts';
import { findSessionConfinement } from '../../sessions/session-host.ts';
import { findConfinement } from '../../system/sandbox/confinement.ts';
import { unconfinedWarning } from '../../system/sandbox/sandbox.ts';
import { parseTemporalAddress } from '../../temporal/target.ts';
import { askService } from '../check-service.ts';

const MIN_FREE_BYTES = 1024 ** 3;

interface Finding {
  /** `missing` is a requirement that a start cannot install by itself. */
  state: 'ok' | 'note' | 'missing';
  subject: string;
  text: string;
}
type Check = (config: Config) => Promise<Finding | Finding[]> | Finding | Finding[];

/** Time for the language model to respond, which may have to be loaded first. */
const MODEL_TIMEOUT_MS = 60_000;

const found = (subject: string, text: string): Finding => ({ state: 'ok', subject, text });
const note = (subject: string, text: string): Finding => ({ state: 'note', subject, text });
const missing = (subject: string, text: string): Finding => ({ state: 'missing', subject, text });

const POSTGRES_SOURCES = { machine: 'this machine', npm: 'npm', copy: 'the copy of an earlier start' };

const CHECKS: Check[] = [
  () => found('Node', `${process.version} on ${process.platform} ${process.arch}`),
  ({ dataDir }) => checkDirectory('Data', resolve(dataDir)),
  ({ cacheDir }) => checkDirectory('Cache', resolve(cacheDir)),
  checkBackups,
  checkApiPort,
  checkRunningService,
  async ({ temporalAddress, cacheDir }) => {
    if (temporalAddress)
      return found('Temporal', `at ${parseTemporalAddress(temporalAddress).address} (from TEMPORAL_ADDRESS)`);
    const binary = await findTemporalBinary(resolve(cacheDir));
    if (binary) return found('Temporal', `${binary.path} (from the ${binary.source})`);
    return note(
      'Temporal',
      `not installed; the next start downloads ${TEMPORAL_CLI_VERSION}, or builds it with Go`,
    );
  },
  async ({ temporalAddress }) => {
    if (temporalAddress) return [];
    if (await canHaveOwnNetwork())
      return found('Temporal', 'runs in a network of its own, behind a password');
    return note('Temporal', OPEN_TEMPORAL);
  },
  ({ databaseUrl, dataDir }) => {
    if (databaseUrl) return found('Postgres', 'external (from DATABASE_URL)');
    const { major, bin, source } = findPostgresPrograms(postgresDir(resolve(dataDir)));
    return found('Postgres', `${major} in ${bin} (from ${POSTGRES_SOURCES[source]})`);
  },
  ({ chromium }) => {
    const browser = findInstalledChromium({ chromium });
    if (browser) return found('Browser', `${browser.path} (${browser.kind})`);
    return note('Browser', 'not installed; the older version from npm is used');
  },
  checkSandbox,
  checkDocumentSandbox,
  checkSessions,
  ...LANGUAGES.map((language) => (config: Config) => checkCode(language, config)),
  checkLanguageModels,
  async () => {
    const packages = await findMissingPackages();
    if (!packages.length) return found('Packages', 'all Debian packages that Winnow uses are installed');
    return note('Packages', `missing: ${packages.join(', ')}; to install: ${installCommand(packages)}`);
  },
];

/**
 * `doctor`: checks what a start needs and says how to fix it, and asks the service that runs how it is. Exits with 1
 * when a start would fail, or a part of that service does not respond.
 */
export const doctorCommand = defineCommand({
  meta: {
    name: 'doctor',
    description: 'check what a start needs and whether the running service is well, and say how to fix it',
  },
  args: {
    json: { type: 'boolean', description: 'print one JSON object: whether all is well, and the findings' },
  },
  async run({ args }) {
    const config = readConfig();
    const findings: Finding[] = [];
    for (const check of CHECKS) {
      for (const finding of await runCheck(check, config)) {
        findings.push(finding);
        const { state, subject, text } = finding;
        if (!args.json) process.stdout.write(`${state.padEnd(8)}${subject.padEnd(10)}${text}\n`);
      }
    }
    const isWell = findings.every(({ state }) => state !== 'missing');
    if (args.json) process.stdout.write(`${JSON.stringify({ isWell, findings }, null, 2)}\n`);
    if (!isWell) process.exitCode = 1;
  },
});

/** Runs one check; an error that a start would throw becomes a missing requirement. */
async function runCheck(check: Check, config: Config): Promise<Finding[]> {
  try {
    return [await check(config)].flat();
  } catch (error) {
    return [missing('', messageOf(error))];
  }
}

function checkDirectory(subject: string, path: string): Finding {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
  } catch {
    return missing(
      subject,
      `${existing} is not writable by this user; change that, or set WINNOW_DATA_DIR and WINNOW_CACHE_DIR`,
    );
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB free`;
  return bavail * bsize < MIN_FREE_BYTES
    ? missing(subject, `${path}: only ${free}`)
    : found(subject, `${path} (${free})`);
}

async function checkBackups({ backups }: Config): Promise<Finding | Finding[]> {
  if (backups === undefined) return [];
  const place = await openBackupPlace(backups);
  try {
    await place.requireWritable();
    return found('Backups', `are written to ${backups} each day`);
  } catch (error) {
    return missing('Backups', messageOf(error));
  }
}

async function checkApiPort({ dataDir, port, host }: Config): Promise<Finding> {
  const running = findRunningInstance(resolve(dataDir));
  if (running) return found('API', `running: ${running.urls.api ?? 'starting'} (process ${running.pid})`);
  if (await isPortFree(port, host)) return found('API', `not running; port ${port} is free`);
  return missing(
    'API',
    `port ${port} is taken by ${findPortOwner(port) ?? 'another program'}; end it, or set PORT`,
  );
}

/** Checks the parts of the service that runs, if one does. */
async function checkRunningService(config: Config): Promise<Finding[]> {
  const service = await askService(config);
  if (!service) return [];
  const failed = service.parts.filter(({ state }) => state !== 'ok');
  if (failed.length > 0)
    return failed.map(({ part, state }) => missing('Service', `${part} of ${service.url}: ${state}`));
  const parts = service.parts.map(({ part }) => part).join(', ');
  return [found('Service', `${service.url} is ready: ${parts}`)];
}

/**
 * Checks whether Chromium's own sandbox works. Chromium is started for this, because only a start shows it.
 */
async function checkSandbox({ chromium }: Config): Promise<Finding> {
  const browser = findInstalledChromium({ chromium });
  const isOn = browser ? await startsInSandbox(browser.path) : await hasUserNamespaces();
  return isOn ? found('Sandbox', 'Chromium runs in its own sandbox') : note('Sandbox', noSandboxWarning());
}

/**
 * Checks whether bubblewrap works. The program that converts documents is started in it, because only that
 * shows it.
 */
async function checkDocumentSandbox(): Promise<Finding> {
  const { reason } = await findConfinement(conversionProgram({}));
  if (reason === undefined) return found('Documents', 'are parsed in bubblewrap, without network and files');
  return note('Documents', `${unconfinedWarning()} Bubblewrap says: ${reason}`);
}

/** Checks whether browsers of sessions can run in a sandbox, which they do not run without. */
async function checkSessions({ chromium }: Config): Promise<Finding> {
  const browser = findInstalledChromium({ chromium });
  if (!browser) return note('Sessions', 'are checked when a browser is installed');
  try {
    await findSessionConfinement(realpathSync(browser.path));
    return found('Sessions', 'each browser session runs in bubblewrap, with a network of its own');
  } catch (error) {
    return note('Sessions', messageOf(error));
  }
}

/** Checks whether code of a language can run in browser sessions, and what is missing. */
async function checkCode(language: Language, { cacheDir }: Config): Promise<Finding> {
  const subject = 'Code';
  try {
    const { confinement } = await findConfinement(conversionProgram({}));
    checkLanguage(language, { confinement, cacheDir: resolve(cacheDir) });
    return found(subject, `${language} runs in browser sessions`);
  } catch (error) {
    return note(subject, messageOf(error));
  }
}

/**
 * Checks the language models. One that does not work is no reason not to start, because rules take its place.
 */
async function checkLanguageModels({ llm }: Config): Promise<Finding[]> {
  if (!llm) return [note('Model', WITHOUT_MODEL)];
  const findings = await checkModels(llm, MODEL_TIMEOUT_MS);
  return findings.map(({ works, text }) => (works ? found('Model', text) : note('Model', text)));
}

async function startsInSandbox(executablePath: string): Promise<boolean> {
  let isOn = true;
  const logger = {
    warn() {
      isOn = false;
    },
  };
  // No page is opened, so the proxy is never used.
  const proxy = { url: 'http://127.0.0.1:9', doors: async () => [], allowUser: () => undefined };
  const { close } = await launchChromium({ executablePath, proxy, logger });
  await close();
  return isOn;
}

async function hasUserNamespaces(): Promise<boolean> {
  const user = process.getuid?.() === 0 ? { uid: BROWSER_UID, gid: BROWSER_UID } : undefined;
  const { exitCode } = await runCommand('unshare', ['--user', 'true'], { user });
  return exitCode === 0;
}
