import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../errors.ts';

/** The versions of what code uses besides the npm packages. */
export const AGENT_BROWSER_VERSION = '0.41.2';
const PYTHON_PLAYWRIGHT_VERSION = '1.65.2';
/** The Python of the system, whose libraries sandboxed programs see. */
export const PYTHON = '/usr/bin/python3';

/**
 * The executable file of agent-browser in the cache directory; `undefined` where there is none for this
 * machine.
 */
export function agentBrowserFile(cacheDir: string): string | undefined {
  if (!['x64', 'arm64'].includes(process.arch) || process.platform !== 'linux') return undefined;
  return join(cacheDir, `agent-browser-${AGENT_BROWSER_VERSION}`);
}

/**
 * The directory of Playwright for Python in the cache directory. It depends on the version of Python, because
 * a package has native code. @returns `undefined` where there is no Python
 */
export function pythonPackagesDirectory(cacheDir: string): string | undefined {
  const version = pythonVersion();
  return version && join(cacheDir, `python-${version}-playwright-${PYTHON_PLAYWRIGHT_VERSION}`);
}

/** The major and minor version of the system's Python, such as `3.11`, which its file name has. */
function pythonVersion(): string | undefined {
  try {
    return /^python(3\.\d+)$/.exec(basename(realpathSync(PYTHON)))?.[1];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
