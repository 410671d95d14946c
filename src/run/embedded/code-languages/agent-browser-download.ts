import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AGENT_BROWSER_VERSION } from '../../../sessions/code/language-files.ts';
import { lastOutputLines, runCommand } from '../command.ts';
import type { ProgressStep } from '../terminal-progress.ts';

/** The hash of the package with the programs for all systems, as the npm registry lists it. */
const PACKAGE_SHA512 =
  '/agCKB5rw1EEK8SKWo4zid7a5kOwlclqALC0P3c69buJvKdhrl/dJkKdfLqGGaiNIbWzRdqqT0PxZVkwVEf2fg==';
const TIMEOUT_MS = 600_000;

/**
 * Downloads agent-browser with npm, and keeps only the program for this machine. The package is not a
 * dependency, because it has the programs for all systems (117 MB) and an install script.
 * @param draft the file to create
 * @throws Error that says which step failed
 */
export async function downloadAgentBrowser(
  draft: string,
  step: ProgressStep,
  signal?: AbortSignal,
): Promise<void> {
  const directory = `${draft}.d`;
  mkdirSync(directory, { recursive: true });
  try {
    step.detail('54 MB');
    const packed = await runCommand(
      'npm',
      [
        ...['pack', `agent-browser@${AGENT_BROWSER_VERSION}`, '--ignore-scripts', '--loglevel=error'],
        ...[`--pack-destination=${directory}`, `--cache=${join(directory, 'npm')}`],
      ],
      { cwd: directory, timeoutMs: TIMEOUT_MS, signal },
    );
    if (packed.exitCode === undefined) throw new Error('npm is not installed');
    if (packed.exitCode !== 0) throw new Error(`npm could not download it: ${lastOutputLines(packed, 3)}`);
    const archive = join(directory, `agent-browser-${AGENT_BROWSER_VERSION}.tgz`);
    if ((await sha512Of(archive)) !== PACKAGE_SHA512)
      throw new Error('the package from the npm registry does not have the expected hash');
    const program = `package/bin/agent-browser-linux-${process.arch}`;
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', directory, program], { signal });
    if (unpacked.exitCode !== 0) throw new Error(`tar could not unpack it: ${lastOutputLines(unpacked)}`);
    await chmod(join(directory, program), 0o755);
    await rename(join(directory, program), draft);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function sha512Of(path: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64');
}
