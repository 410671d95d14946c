import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { commandOf } from '../../../config.ts';
import { messageOf } from '../../../errors.ts';
import { agentBrowserFile, pythonPackagesDirectory } from '../../../sessions/code/language-files.ts';
import { renameUnlessPresent } from '../rename-unless-present.ts';
import type { Progress, ProgressStep } from '../terminal-progress.ts';
import { downloadAgentBrowser } from './agent-browser-download.ts';
import { installPythonPackages } from './python-packages.ts';

/** After a failure, starts try again after a day. */
const RETRY_AFTER_MS = 24 * 3_600_000;

/** Files that a language of code in sessions needs besides the npm packages. */
interface LanguageFiles {
  language: string;
  name: string;
  /** The file or directory in the cache; `undefined` where it cannot be installed. */
  path(cacheDir: string): string | undefined;
  install(draft: string, step: ProgressStep, signal?: AbortSignal): Promise<void>;
}

const FILES: LanguageFiles[] = [
  {
    language: 'bash',
    name: 'agent-browser',
    path: agentBrowserFile,
    install: downloadAgentBrowser,
  },
  {
    language: 'Python',
    name: 'Playwright for Python',
    path: pythonPackagesDirectory,
    install: installPythonPackages,
  },
];

/**
 * Installs what the languages of code in browser sessions need. A failure, such as that of a machine without
 * access to the Internet, is reported, and the language is not available then. This never throws.
 * @param options.insist try again even if the last attempt failed within a day
 */
export async function installLanguages(options: {
  cacheDir: string;
  progress: Progress;
  insist?: boolean;
  signal?: AbortSignal;
}): Promise<void> {
  const cacheDir = resolve(options.cacheDir);
  await Promise.all(FILES.map((files) => installFiles(files, { ...options, cacheDir })));
}

async function installFiles(
  { language, name, path, install }: LanguageFiles,
  { cacheDir, progress, insist, signal }: Parameters<typeof installLanguages>[0],
): Promise<void> {
  const target = path(cacheDir);
  if (target === undefined || existsSync(target)) return;
  const failed = `${target}.failed`;
  if (!insist && existsSync(failed) && Date.now() - statSync(failed).mtimeMs < RETRY_AFTER_MS) return;
  mkdirSync(cacheDir, { recursive: true });
  const directory = mkdtempSync(`${target}.`);
  try {
    const draft = join(directory, 'draft');
    await progress.step(`Downloading ${name}`, (step) => install(draft, step, signal));
    // Sandboxed programs run as another user.
    await chmod(draft, 0o755);
    await renameUnlessPresent(draft, target);
    rmSync(failed, { force: true });
  } catch (error) {
    if (signal?.aborted) return;
    writeFileSync(failed, `${messageOf(error)}\n`);
    progress.note(
      `${name} could not be installed: ${messageOf(error)}\nContinuing without ${language} code in browser sessions; \`${commandOf('setup')}\` tries again.`,
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
