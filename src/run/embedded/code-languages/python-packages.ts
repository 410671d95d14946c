import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PYTHON } from '../../../sessions/code/language-files.ts';
import { lastOutputLines, runCommand } from '../command.ts';
import type { ProgressStep } from '../terminal-progress.ts';

const REQUIREMENTS = join(import.meta.dirname, 'python-requirements.txt');
const TIMEOUT_MS = 600_000;

/**
 * Installs Playwright for Python with pip, from wheels whose hashes are pinned.
 * @param draft the directory to create
 * @throws Error that says what failed
 */
export async function installPythonPackages(
  draft: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<void> {
  step.detail('54 MB');
  const installed = await runCommand(
    PYTHON,
    [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-cache-dir'],
      ...['--root-user-action=ignore', '--require-hashes', '--no-deps', '--only-binary=:all:'],
      ...['--target', draft, '--requirement', REQUIREMENTS],
    ],
    { timeoutMs: TIMEOUT_MS, signal },
  );
  if (installed.exitCode !== 0)
    throw new Error(
      installed.stderr.includes('No module named pip')
        ? 'pip is not installed; install the package python3-pip'
        : `pip could not install it: ${lastOutputLines(installed, 3)}`,
    );
  // The Node of the service runs Playwright, so that the wheel's own one (120 MB) is not needed.
  rmSync(join(draft, 'playwright', 'driver', 'node'));
  const tried = await runCommand(PYTHON, ['-c', 'import playwright.async_api'], {
    settings: { PYTHONPATH: draft },
    timeoutMs: 60_000,
    signal,
  });
  if (tried.exitCode !== 0) throw new Error(`it does not run: ${lastOutputLines(tried, 3)}`);
}
