import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { agentBrowserFile, pythonPackagesDirectory } from '../../../src/sessions/code/language-files.ts';
import { noBubblewrap } from '../../system/sandbox/code-sandbox.ts';

const cacheDir = resolve(readConfig().cacheDir);
const isInstalled = (path: string | undefined) => path !== undefined && existsSync(path);

/** Whether code of each language can run here; `winnow setup` installs what is missing. */
export const runs = {
  node: !noBubblewrap,
  python: !noBubblewrap && isInstalled(pythonPackagesDirectory(cacheDir)),
  bash: !noBubblewrap && isInstalled(agentBrowserFile(cacheDir)),
};
