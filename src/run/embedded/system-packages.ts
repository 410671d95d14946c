import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastOutputLines, runCommand } from './command.ts';
import type { Progress } from './terminal-progress.ts';

/** Debian packages that Winnow uses, and their purpose. */
const PACKAGES: Record<string, string> = {
  'chromium-headless-shell': 'the browser that renders pages',
  bubblewrap: 'isolates the browser and the parsers of documents from this machine',
  'python3-pip': 'runs Python code in browser sessions, and installs Playwright for it',
  'fonts-noto-cjk': 'Chinese, Japanese and Korean letters in screenshots',
  'fonts-noto-color-emoji': 'emoji in screenshots',
  'webext-ublock-origin-chromium': 'filter lists that identify advertisements',
};
const INSTALL_TIMEOUT_MS = 15 * 60_000;
const RETRY_AFTER_MS = 24 * 3_600_000;

/** Lists the packages that are not installed; empty on a system without dpkg. */
export async function findMissingPackages(): Promise<string[]> {
  const names = Object.keys(PACKAGES);
  const { exitCode, stdout } = await runCommand('dpkg-query', [
    '-W',
    '-f',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholders
    '${Package} ${db:Status-Status}\n',
    ...names,
  ]);
  if (exitCode === undefined) return [];
  const installed = new Set(stdout.split('\n').filter((line) => line.endsWith(' installed')));
  return names.filter((name) => !installed.has(`${name} installed`));
}

/** The shell command that installs packages. */
export const installCommand = (packages: string[]) =>
  `sudo apt-get install --no-install-recommends ${packages.join(' ')}`;

/** Lists packages with their purpose. */
const describePackages = (packages: string[]) =>
  packages.map((name) => `${name} (${PACKAGES[name]})`).join(', ');

/**
 * Installs missing packages as root on Debian, and elsewhere prints how to install them. A failure is
 * reported and the start continues with what npm provides; the next attempt follows after a day.
 * @param insist try again even if the last attempt failed within a day
 */
export async function installPackages(options: {
  cacheDir: string;
  progress: Progress;
  insist?: boolean;
  signal?: AbortSignal;
}): Promise<void> {
  const { cacheDir, progress, signal } = options;
  const missing = await findMissingPackages();
  if (!missing.length) return;
  const failed = join(cacheDir, 'apt-failed');
  const isFresh = existsSync(failed) && Date.now() - statSync(failed).mtimeMs < RETRY_AFTER_MS;
  if (isFresh && !options.insist) return;

  mkdirSync(cacheDir, { recursive: true });
  if (process.getuid?.() !== 0) {
    progress.note(
      `Not installed: ${describePackages(missing)}.\nContinuing without them; to install: ${installCommand(missing)}`,
    );
    writeFileSync(failed, 'not root\n');
    return;
  }
  progress.note(`Installing Debian packages: ${describePackages(missing)}.`);
  const reason = await progress.step('Installing Debian packages', async (step) => {
    const onLine = (line: string) => step.detail(line.slice(0, 60));
    return (
      (await apt(['update'], onLine, signal)) ??
      apt(['install', '-y', '--no-install-recommends', ...missing], onLine, signal)
    );
  });
  if (reason === undefined) {
    rmSync(failed, { force: true });
    return;
  }
  writeFileSync(failed, `${reason}\n`);
  progress.note(
    `The packages could not be installed:\n${reason}\nContinuing without them; to try again: ${installCommand(missing)}`,
  );
}

/** Runs apt-get. @returns why it failed; `undefined` when it succeeded */
async function apt(
  args: string[],
  onLine: (line: string) => void,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const result = await runCommand('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    settings: { DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: INSTALL_TIMEOUT_MS,
    signal,
    onLine,
  });
  if (result.exitCode === 0) return undefined;
  return result.exitCode === undefined ? 'apt-get is not installed' : lastOutputLines(result, 3);
}
