import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

const DIRECTORY = import.meta.dirname;

/**
 * Installs the peers from the npm registry unless they are installed. It does not use `npm ci`, because some
 * peers depend on packages for other systems that no registry has.
 * @throws Error if npm fails
 */
export async function installPeers(): Promise<void> {
  const isThere = (name: string) => existsSync(path.join(DIRECTORY, 'node_modules', name));
  if (['@crawlee/cheerio', '@crawlee/playwright', 'turndown', 'officeparser'].every(isThere)) return;
  const npm = spawn('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: DIRECTORY,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0)
    throw new Error(`npm install in ${DIRECTORY} ended with ${code}: the peers are not installed`);
}
